import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const currentTest = Symbol.for('interlock.current-test');
const filename = fileURLToPath(import.meta.url);
const callCurrentTest = new Script("globalThis[Symbol.for('interlock.current-test')]()", { filename });

register('./hooks.mjs', import.meta.url);
process.setSourceMapsEnabled(true);

/* jest hides stack lines that Node.js marks as anonymous, which includes the functions of tests. */
const anonymous = /^( +at )<anonymous> \((.*)\)$/;

/** Changes the stack of a failure so that it contains the line of the test. */
function showTest(error) {
  if (!(error instanceof Error) || error.stack === undefined) return;
  const lines = error.stack.split('\n').filter((line) => !line.includes(filename));
  error.stack = lines.map((line) => line.replace(anonymous, '$1$2')).join('\n');
}

/**
 * Runs test files in the realm of the worker. After each file, restores the console, `process.exit`, the working
 * directory and the environment variables.
 *
 * In a run of many projects, the tests of each have the timeout that its configuration sets (`testEnvironmentOptions`).
 *
 * A test that computes beyond its timeout without yielding is stopped and fails. By default, jest waits for the end of
 * such a test and lets it pass.
 */
export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = null;
  fakeTimers = null;
  fakeTimersModern = null;
  #testTimeout;
  #console = globalThis.console;
  #exit = process.exit;
  #variables = { ...process.env };
  #folder = process.cwd();

  constructor({ projectConfig }) {
    this.#testTimeout = projectConfig.testEnvironmentOptions.testTimeout;
  }

  async setup() {
    /* The stack formatter of jest supports only modules that the runtime of jest has loaded. */
    delete Error.prepareStackTrace;
  }

  handleTestEvent({ name, test, error }, state) {
    showTest(error);
    if (name === 'setup' && this.#testTimeout !== undefined) state.testTimeout = this.#testTimeout;
    if (name !== 'test_fn_start' || test.fn === undefined || test.fn.length > 0) return;
    const { fn, timeout = state.testTimeout } = test;
    test.fn = () => {
      globalThis[currentTest] = fn;
      return callCurrentTest.runInThisContext({ timeout, displayErrors: false });
    };
  }

  async teardown() {
    globalThis.console = this.#console;
    process.exit = this.#exit;
    process.chdir(this.#folder);
    for (const name of Object.keys(process.env)) {
      if (!(name in this.#variables)) Reflect.deleteProperty(process.env, name);
    }
    Object.assign(process.env, this.#variables);
  }

  exportConditions() {
    return ['node'];
  }

  getVmContext() {
    return null;
  }
}
