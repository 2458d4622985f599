// STOCK_URL=http://127.0.0.1:4000 node examples/recipes/nest/server.mjs (after npm run build)
//
// Nest 11: the registry as a provider, which gives its slot back when the application ends; a
// breaker as one, to be injected; and an exception filter for all routes that answers refusals with
// 503 and Retry-After. Plain JavaScript, so each decorator follows what it decorates: in TypeScript
// it stands above it, as in `@Catch(...) class RefusalFilter {}`.
import 'reflect-metadata'
import { Bind, Catch, Controller, Dependencies, Get, Module, Param, Res } from '@nestjs/common'
import { APP_FILTER, NestFactory } from '@nestjs/core'
import { BulkheadFullError, CircuitOpenError, getRegistry, ThrottledError } from 'busbar'

class Breakers {
  registry = getRegistry()

  onApplicationShutdown() {
    this.registry.close()
  }
}

const stock = {
  provide: 'stock breaker',
  inject: [Breakers],
  useFactory: ({ registry }) =>
    registry.breaker('stock', {
      slidingWindow: { type: 'consecutive', failures: 5 },
      isFailure: ({ status }) => status >= 500,
      timeoutMs: 800,
    }),
}

class RefusalFilter {
  catch(error, host) {
    const response = host.switchToHttp().getResponse()
    // Infinity: only a person can end it. Throttles and bulkheads name no time.
    const { retryAfterMs = 0 } = error
    if (Number.isFinite(retryAfterMs)) {
      response.set('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1000))))
    }
    response.status(503).json({ error: 'Service Unavailable', code: error.code })
  }
}
Catch(CircuitOpenError, ThrottledError, BulkheadFullError)(RefusalFilter)

class StockController {
  constructor(breaker) {
    this.breaker = breaker
  }

  async find(sku, response) {
    const url = `${process.env.STOCK_URL}/${encodeURIComponent(sku)}`
    const { status, body } = await this.breaker.execute(async ({ signal }) => {
      const answer = await fetch(url, { signal })
      return { status: answer.status, body: await answer.json() }
    })
    response.status(status).json(body)
  }
}
const find = [StockController.prototype, 'find']
const method = Object.getOwnPropertyDescriptor(...find)
Bind(Param('sku'), Res())(...find, method)
Get(':sku')(...find, method)
Controller('stock')(StockController)
Dependencies(stock.provide)(StockController)

class AppModule {}
Module({
  controllers: [StockController],
  providers: [Breakers, stock, { provide: APP_FILTER, useClass: RefusalFilter }],
})(AppModule)

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] })
app.enableShutdownHooks()
await app.listen(Number(process.env.PORT ?? 0), '127.0.0.1')
console.log(await app.getUrl())
