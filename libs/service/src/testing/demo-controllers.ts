/* Controllers for tests: while they lead, they run work that ignores its signal. */
import { runControllers } from '../controllers.js';

await runControllers({
  name: 'demo',
  description: 'Never stops by itself.',
  version: '1.2.3',
  flags: {},
  setup({ manager, log }) {
    manager.add({
      name: 'stuck',
      run() {
        log.info({}, 'leading');
        return new Promise<void>(() => undefined);
      },
    });
    return Promise.resolve(undefined);
  },
});
