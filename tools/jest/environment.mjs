import { Script } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const launcher = Symbol.for('interlock.launcher');
const currentTest = Symbol.for('interlock.current-test');
const callCurrentTest = new Script("globalThis[Symbol.for('interlock.current-test')]()");

/**
 * Ends the process by which the modules of a test file start programs (`libs/process`) with the file: each file loads its
 * modules anew, and so has one of its own.
 *
 * In a run of many projects, the tests of each have the timeout that its configuration sets (`testEnvironmentOptions`).
 *
 * A test that computes beyond its timeout without a pause is stopped and fails. Jest by itself awaits the end of such a
 * test, however late that is, and lets it pass.
 */
export default class extends TestEnvironment {
  #testTimeout;

  constructor(config, context) {
    super(config, context);
    this.#testTimeout = config.projectConfig.testEnvironmentOptions.testTimeout;
  }

  handleTestEvent({ name, test }, state) {
    if (name === 'setup' && this.#testTimeout !== undefined) state.testTimeout = this.#testTimeout;
    if (name !== 'test_fn_start' || test.fn === undefined || test.fn.length > 0) return;
    const { fn, timeout = state.testTimeout } = test;
    test.fn = () => {
      this.global[currentTest] = fn;
      return callCurrentTest.runInContext(this.getVmContext(), { timeout });
    };
  }

  async teardown() {
    await this.global[launcher]?.close();
    await super.teardown();
  }
}
