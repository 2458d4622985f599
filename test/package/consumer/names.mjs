// Prints what an import brings.
import * as busbar from 'busbar'

console.log(JSON.stringify(Object.keys(busbar).sort()))
