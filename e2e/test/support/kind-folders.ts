/** Longer files contain logic that belongs to the steps. */
const maxReconcilerLines = 80;

/** The required and the forbidden files of the folder of a kind. */
export type KindRule = 'controller' | 'length' | 'observe' | 'decide' | 'test';

/** A folder that breaks a rule. */
interface KindProblem {
  folder: string;
  rule: KindRule;
  /** What to do. */
  message: string;
}

/**
 * Returns the problems with the folders of kinds: folders of an app with a `reconciler.ts` or a `controller.ts`.
 *
 * @param files their text by path
 */
export function kindProblems(files: ReadonlyMap<string, string>): KindProblem[] {
  const wirings = [...files.keys()].filter((file) =>
    /^apps\/[^/]+\/src\/.+\/(reconciler|controller)\.ts$/.test(file),
  );
  const folders = [...new Set(wirings.map((file) => file.slice(0, file.lastIndexOf('/'))))].sort();
  return folders.flatMap((folder) => problemsOf(folder, (name) => files.get(`${folder}/${name}`)));
}

function problemsOf(folder: string, read: (name: string) => string | undefined): KindProblem[] {
  const problems: KindProblem[] = [];
  const require = (holds: boolean, rule: KindRule, message: string): void => {
    if (!holds) problems.push({ folder, rule, message });
  };
  const reconciler = read('reconciler.ts') ?? '';
  const lines = reconciler.split('\n').length - 1;
  const observes = read('observe.ts') !== undefined || /\bobserve\b/.test(reconciler);
  require(read('controller.ts') === undefined, 'controller', 'replace controller.ts with a reconciler');
  require(lines <=
    maxReconcilerLines, 'length', `reconciler.ts has ${lines} lines; ${maxReconcilerLines} at most`);
  require(observes, 'observe', 'add observe.ts, or observe in reconciler.ts');
  require(read('decide.ts') !== undefined, 'decide', 'add decide.ts');
  require(read('decide.test.ts') !== undefined, 'test', 'test decide.ts by tables in decide.test.ts');
  return problems;
}
