/** Counts a success, instruments the registry, and collects whenever it is told to. */
import { parentPort, workerData } from 'node:worker_threads'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { attachRegistry } from 'busbar'
import { instrument } from 'busbar/opentelemetry'

class HandReader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}

const registry = attachRegistry(workerData.handle)
const breaker = registry.breaker(workerData.name)
breaker.recordSuccess(breaker.tryAcquire())

const reader = new HandReader()
instrument(registry, new MeterProvider({ readers: [reader] }).getMeter('worker'))
parentPort.on('message', async () => {
  const { resourceMetrics } = await reader.collect()
  const metrics = resourceMetrics.scopeMetrics.flatMap(scope => scope.metrics)
  const calls = metrics.find(({ descriptor }) => descriptor.name === workerData.metric)
  parentPort.postMessage(calls?.dataPoints.map(({ value }) => value) ?? 'nothing')
})
parentPort.postMessage('ready')
