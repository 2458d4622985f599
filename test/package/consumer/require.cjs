// Prints what require() brings, and that it is the very module that an import brings.
const busbar = require('busbar')

const breaker = busbar.createRegistry().breaker('from CommonJS')
const value = breaker.executeSync(() => 'called')
import('busbar').then(imported => {
  const same = Object.keys(imported).every(name => imported[name] === busbar[name])
  console.log(JSON.stringify({ names: Object.keys(busbar).sort(), value, same }))
})
