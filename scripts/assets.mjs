// Copies what the build needs beside the compiled files: the dashboard's page, served as it stands.
import { cpSync, rmSync } from 'node:fs'

const FROM = new URL('../src/dashboard/page', import.meta.url)
const TO = new URL('../dist/dashboard/page', import.meta.url)

rmSync(TO, { recursive: true, force: true })
cpSync(FROM, TO, { recursive: true })
