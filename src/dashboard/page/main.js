/** Puts the page together: the stream fills the model, the model fills the page. */
import { announce } from './announce.js'
import { Header } from './header.js'
import { listenToKeys } from './keys.js'
import { List } from './list.js'
import { Model } from './model.js'
import { connect } from './stream.js'
import { every } from './time.js'
import { Timeline } from './timeline.js'

const filter = document.getElementById('filter')
const model = new Model()
const list = new List(model)
const timeline = new Timeline(model)
const header = new Header(applyFilter)

function applyFilter() {
  if (model.registry === undefined) return
  list.filter(filter.value, header.chosen)
  timeline.rebuild(name => list.matches(name))
}

filter.addEventListener('input', applyFilter)

listenToKeys({
  filter,
  list,
  onEscape() {
    filter.value = ''
    filter.blur()
    header.showAll()
    applyFilter()
  },
})

connect({
  onSnapshot(snapshot) {
    model.takeSnapshot(snapshot)
    header.update(model)
    applyFilter()
    document.body.dataset.ready = 'yes'
  },
  onFrame(frame) {
    const transitions = model.takeFrame(frame)
    header.update(model)
    list.update()
    timeline.add(transitions)
    announce(transitions)
  },
  onLink: (link, detail) => header.link(link, detail),
})

every(1_000, () => {
  if (model.registry === undefined) return
  list.tick()
  timeline.tick()
})
