import Sequencer from '@jest/test-sequencer';

/** Orders test files by project, in the order of the configuration, and within a project as jest does. */
export default class extends Sequencer {
  #folders;

  constructor(options) {
    super(options);
    this.#folders = options.contexts.map(({ config }) => config.rootDir);
  }

  sort(tests) {
    const placeOf = ({ context }) => this.#folders.indexOf(context.config.rootDir);
    return super.sort(tests).sort((a, b) => placeOf(a) - placeOf(b));
  }
}
