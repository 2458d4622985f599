// Writes a region to a file, for the tool that comes with the package.
import { createRegistry } from 'busbar'

const registry = createRegistry({ keeper: false })
registry.breaker('payments').open({ reason: 'a look' })
registry.dump('region')
registry.close()
