/**
 * Whatever the tests of `execute` say holds while somebody traces the calls, too, but that all
 * refusals of one state are one promise: then each is a promise of its own.
 */
import './channels/subscribe.ts'
import '../unit/execute.test.ts'
import '../unit/execute-faces.test.ts'
import '../unit/execute-fallback.test.ts'
import '../unit/execute-nested.test.ts'
import '../unit/execute-predicates.test.ts'
import '../unit/execute-signal.test.ts'
import '../unit/execute-thenables.test.ts'
import '../unit/refusals-async.test.ts'
