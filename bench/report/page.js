/**
 * In the browser: draws the panels with x. Everything that needs thought (axes, ticks, texts) was
 * worked out when the page was made; here is only what needs a width and colours.
 */
;(() => {
  const charts = JSON.parse(document.getElementById('charts').textContent)
  const HUES = { floor: 4 }
  const MOST_HUES = 6
  const HEIGHT = 340
  /** Ticks closer than this would touch. */
  const LEAST_TICK_GAP = 34
  const CAP = 3
  const DASHES = { floor: [7, 5], sketch: [2, 4] }

  function colourOf(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
  }

  /** Each role has its own hues; lines of one role take them in turn. */
  function coloursOf(series) {
    const used = {}
    return series.map(({ role }) => {
      used[role] = (used[role] ?? 0) + 1
      return colourOf(`${role}-${((used[role] - 1) % (HUES[role] ?? MOST_HUES)) + 1}`)
    })
  }

  /** The xs that were measured, less those that stand too close to the one before. */
  function xTicks(plot, xs) {
    const ticks = []
    let last = Number.NEGATIVE_INFINITY
    for (const x of xs) {
      const at = plot.valToPos(x, 'x')
      if (at - last < LEAST_TICK_GAP) continue
      ticks.push(x)
      last = at
    }
    return ticks
  }

  function drawNoise(plot, chart, colours) {
    const { ctx } = plot
    const cap = CAP * devicePixelRatio
    ctx.save()
    ctx.lineWidth = devicePixelRatio
    chart.series.forEach((line, index) => {
      if (!plot.series[index + 1].show) return
      ctx.strokeStyle = colours[index]
      chart.xs.forEach((x, at) => {
        if (line.values[at] === null) return
        const left = plot.valToPos(x, 'x', true)
        const low = plot.valToPos(Math.max(line.lows[at], chart.y.from), 'y', true)
        const high = plot.valToPos(line.highs[at], 'y', true)
        ctx.beginPath()
        for (const end of [low, high]) {
          ctx.moveTo(left - cap, end)
          ctx.lineTo(left + cap, end)
        }
        ctx.moveTo(left, low)
        ctx.lineTo(left, high)
        ctx.stroke()
      })
    })
    ctx.restore()
  }

  function axis(name, more) {
    const ink = colourOf('soft')
    const line = { stroke: colourOf('line'), width: 1 }
    const font = '12px system-ui, sans-serif'
    // uPlot's own filter would take labels off a log axis.
    const filter = (_, splits) => splits
    return {
      label: name,
      labelFont: font,
      font,
      stroke: ink,
      grid: line,
      ticks: line,
      filter,
      ...more,
    }
  }

  function optionsOf(chart, width) {
    const colours = coloursOf(chart.series)
    const textOf = new Map(chart.xs.map((x, at) => [x, chart.xTexts[at]]))
    const tickOf = new Map(chart.y.ticks.map(({ value, label }) => [value, label]))
    return {
      width,
      height: HEIGHT,
      legend: { markers: { width: 0, fill: (_, index) => colours[index - 1] } },
      cursor: { drag: { x: false, y: false } },
      scales: {
        x: {
          time: false,
          distr: chart.x.log > 0 ? 3 : 1,
          log: chart.x.log || 10,
          range: () => [chart.x.from, chart.x.to],
        },
        y: { distr: chart.y.isLog ? 3 : 1, range: () => [chart.y.from, chart.y.to] },
      },
      axes: [
        axis(chart.x.name, {
          splits: plot => xTicks(plot, chart.xs),
          values: (_, splits) => splits.map(x => textOf.get(x)),
        }),
        axis(chart.y.name, {
          size: 58,
          splits: () => [...tickOf.keys()],
          values: (_, splits) => splits.map(y => tickOf.get(y)),
        }),
      ],
      series: [
        { label: chart.x.name, value: (_, x) => textOf.get(x) ?? '' },
        ...chart.series.map((line, index) => ({
          label: line.label,
          stroke: colours[index],
          width: 2,
          dash: DASHES[line.role],
          spanGaps: true,
          points: { show: true, size: 7, fill: colours[index] },
          value: (_plot, _value, _series, at) => (at === null ? '' : line.texts[at]),
        })),
      ],
      hooks: {
        // The legend shows the last figures before anybody points at some, and where nobody can.
        ready: [plot => plot.setLegend({ idx: chart.xs.length - 1 })],
        draw: [plot => drawNoise(plot, chart, colours)],
      },
    }
  }

  function draw(place) {
    const chart = charts[place.dataset.chart]
    const data = [chart.xs, ...chart.series.map(line => line.values)]
    place.replaceChildren()
    return new uPlot(optionsOf(chart, place.clientWidth), data, place)
  }

  const plots = new Map()
  for (const place of document.querySelectorAll('[data-chart]')) plots.set(place, draw(place))

  new ResizeObserver(entries => {
    for (const { target } of entries) {
      const plot = plots.get(target)
      if (plot.width !== target.clientWidth) {
        plot.setSize({ width: target.clientWidth, height: HEIGHT })
      }
    }
  }).observe(document.querySelector('main'))

  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    for (const place of plots.keys()) plots.set(place, draw(place))
  })
})()
