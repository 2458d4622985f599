// Prints what becomes of imports past the front door.
const codes = {}
for (const name of ['busbar/package.json', 'busbar/dist/index.js', 'busbar/src/index.ts']) {
  try {
    codes[name] = import.meta.resolve(name).endsWith(name.slice('busbar/'.length))
  } catch (error) {
    codes[name] = error.code
  }
}
console.log(JSON.stringify(codes))
