/** A fenced block of a page. */
export interface Block {
  page: string;
  language: string;
  text: string;
}

/** Returns the fenced blocks of a page in these languages. */
export function blocksOf(page: string, text: string, languages: readonly string[]): Block[] {
  const pattern = new RegExp(`^\`\`\`(${languages.join('|')})\\n(.*?)^\`\`\`$`, 'gms');
  return [...text.matchAll(pattern)].map(([, language = '', block = '']) => ({
    ...{ page, language, text: block },
  }));
}

/**
 * The test file that runs the commands or applies the manifests of each page. A row applies to the blocks of a language
 * that begin with `start`, or to all of them.
 *
 * - `runs`: the file reads the page and runs its blocks.
 * - `checks`: the file runs the same command with other arguments, and `docs.test.ts` checks the flags.
 * - `validates`: `docs.test.ts` validates the manifests with the schemas of their kinds.
 */
export interface Coverage {
  page: string;
  language: 'sh' | 'yaml';
  start?: string;
  how: 'runs' | 'checks' | 'validates';
  test: string;
}

const here = 'e2e/test/docs.test.ts';
const row = (
  page: string,
  language: Coverage['language'],
  how: Coverage['how'],
  test: string,
  ...starts: string[]
): Coverage[] =>
  starts.length === 0
    ? [{ page, language, how, test }]
    : starts.map((start) => ({ page, language, how, test, start }));

const responderTests = 'apps/gitops-responder/test/docs.test.ts';
const gateTests = 'apps/gate-controller/test/docs.test.ts';

/** The test of each block of the README and of the pages. */
export const coverage: readonly Coverage[] = [
  ...row('README.md', 'sh', 'checks', 'e2e/test/npm-start.test.ts', 'npm ci'),
  ...row('README.md', 'sh', 'runs', here, 'kubectl create namespace interlock-system'),
  ...row('README.md', 'yaml', 'validates', here),
  ...row('CONTRIBUTING.md', 'sh', 'checks', here),
  ...row('docs/agc.md', 'sh', 'checks', 'e2e/test/jobs-scenario.test.ts'),
  ...row('docs/agc.md', 'yaml', 'validates', here),
  ...row('docs/cli.md', 'sh', 'runs', 'apps/cli/test/docs.test.ts'),
  ...row('docs/commit-status-sync.md', 'yaml', 'runs', 'apps/commit-status-sync/test/docs.test.ts'),
  ...row('docs/conformance.md', 'sh', 'checks', 'tools/conformance/src/conformance.test.ts'),
  ...row('docs/conformance.md', 'yaml', 'validates', here),
  ...row('docs/demo.md', 'sh', 'checks', 'e2e/test/npm-start.test.ts', 'export KUBECONFIG='),
  ...row('docs/demo.md', 'sh', 'runs', 'e2e/test/given-cluster.test.ts', 'npm start -- --kubeconfig'),
  ...row('docs/devcluster.md', 'sh', 'checks', 'tools/devcluster/src/main.test.ts', 'npx nx run'),
  ...row('docs/devcluster.md', 'sh', 'checks', 'tools/devcluster/src/kubectl.test.ts', 'export KUBECONFIG='),
  ...row('docs/egress-proxy.md', 'yaml', 'runs', 'tools/charts/src/docs.test.ts'),
  ...row('docs/forge.md', 'sh', 'checks', 'tools/forge/src/main.test.ts'),
  ...row('docs/gate-access.md', 'yaml', 'runs', 'apps/gate-controller/test/gate-access-page.test.ts'),
  ...row('docs/gate-controller.md', 'yaml', 'runs', gateTests),
  ...row('docs/gate-controller.md', 'sh', 'runs', gateTests),
  ...row('docs/gitops-responder.md', 'yaml', 'runs', responderTests),
  ...row('docs/gitops-responder.md', 'sh', 'runs', 'tools/charts/src/docs.test.ts'),
  ...row('docs/gmc.md', 'yaml', 'validates', here),
  ...row('docs/gmc.md', 'sh', 'checks', 'e2e/test/tenants-scenario.test.ts'),
  ...row('docs/install.md', 'sh', 'runs', 'tools/charts/src/docs.test.ts'),
  ...row('docs/install.md', 'yaml', 'runs', 'tools/charts/src/docs.test.ts'),
  ...row('docs/performance.md', 'sh', 'checks', here),
  ...row('docs/promoter.md', 'yaml', 'runs', 'apps/promoter/test/docs.test.ts'),
  ...row('docs/scm.md', 'yaml', 'runs', 'apps/promoter/test/providers.test.ts'),
  ...row('docs/scm.md', 'sh', 'runs', 'libs/scm/src/local/documented.test.ts', '# See what is open.'),
  ...row('docs/scm.md', 'sh', 'checks', 'e2e/test/scm-plugin.test.ts', 'promoter --scm-plugin'),
  ...row('docs/testing.md', 'sh', 'checks', 'e2e/test/e2e-command.test.ts'),
];

/** The source files that define the arguments of a command; they have to contain the arguments that a page shows. */
export const argumentSources: readonly { command: RegExp; files: readonly string[] }[] = [
  { command: /^npm start(?: --)?/, files: ['tools/stack/src/flags.ts'] },
  { command: /^npm run e2e(?: --)?/, files: ['e2e/options.mjs'] },
  { command: /^npm run bench --/, files: ['tools/bench/src/benchmarks.ts'] },
  { command: /^npm run conformance(?: --)?/, files: ['tools/conformance/src/main.ts'] },
  { command: /^npx nx run devcluster:serve --/, files: ['tools/devcluster/src/main.ts'] },
  { command: /^node tools\/forge\/dist\/main\.mjs/, files: ['tools/forge/src/main.ts'] },
  { command: /^node tools\/envtest\/dist\/main\.mjs/, files: ['tools/envtest/src/main.ts'] },
];
