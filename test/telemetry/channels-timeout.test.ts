/** Apart from channels-faces.test.ts: this one stops the time of its whole file. */
import './channels/subscribe.ts'
import '../unit/execute-timeout.test.ts'
