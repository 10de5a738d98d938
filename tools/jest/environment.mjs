import { TestEnvironment } from 'jest-environment-node';

const launcher = Symbol.for('interlock.launcher');

/**
 * Ends the process by which the modules of a test file start programs (`libs/process`) with the file: each file loads its
 * modules anew, and so has one of its own.
 */
export default class extends TestEnvironment {
  async teardown() {
    await this.global[launcher]?.close();
    await super.teardown();
  }
}
