import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const depConstraints = [
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:lib'] },
  { sourceTag: 'type:lib', onlyDependOnLibsWithTags: ['type:lib'] },
  { sourceTag: 'type:tool', onlyDependOnLibsWithTags: ['type:lib', 'type:tool'] },
  { sourceTag: 'type:e2e', onlyDependOnLibsWithTags: ['type:lib', 'type:tool'] },
  {
    sourceTag: 'layer:domain',
    onlyDependOnLibsWithTags: ['layer:platform', 'layer:api', 'layer:base'],
  },
  {
    sourceTag: 'layer:platform',
    onlyDependOnLibsWithTags: ['layer:platform', 'layer:api', 'layer:base'],
  },
  { sourceTag: 'layer:api', onlyDependOnLibsWithTags: ['layer:base'] },
  { sourceTag: 'layer:base', notDependOnLibsWithTags: ['*'] },
];
/* Tests may stand on the tools (embedded cluster, forge); what ships may not. */
const testConstraints = [{ sourceTag: '*', onlyDependOnLibsWithTags: ['type:lib', 'type:tool'] }];
/* What makes bundles: some tests bundle a program as apps are bundled, others test it. */
const testImports = ['bundle/(current|run|worker-source)\\.mjs$'];
const boundaries = (constraints, allow = []) => [
  'error',
  { enforceBuildableLibDependency: false, allow, depConstraints: constraints },
];

/* What decides and concludes is pure, so that tables can test it: whatever reads or writes comes as a type alone. */
const pureFiles = ['apps/*/src/**/decide.ts', 'apps/*/src/**/conclude.ts'];
const withIO = [
  ...['fs', 'fs/promises', 'net', 'tls', 'dns', 'dns/promises', 'http', 'https', 'http2'],
  ...['child_process', 'worker_threads', 'timers', 'timers/promises', 'readline'],
].map((name) => `node:${name}`);
const pureImports = {
  paths: [...withIO, ...['undici', 'fastify', '@interlock/git', '@interlock/scm', '@interlock/process']].map(
    (name) => ({
      name,
      message: 'decide.ts and conclude.ts do no I/O: read it in observe.ts, or call it in act.ts.',
      allowTypeImports: true,
    }),
  ),
  patterns: [
    {
      regex: '(^|/)(act|observe|reconciler)\\.js$',
      message:
        'decide.ts and conclude.ts do no I/O: take types alone, or move what is pure to a file of its own.',
      allowTypeImports: true,
    },
    {
      regex: '^@interlock/kube$',
      importNamePattern:
        '^(create|load|read|discover)[A-Z]|^(Applier|EventRecorder|LeaderElector|cachedReads)$',
      message: 'decide.ts and conclude.ts do no I/O, so they have no client, cache or recorder.',
      allowTypeImports: true,
    },
  ],
};

/* `it('…')`, `test.skip('…')`, `it.each(table)('…')` */
const oneOfTests =
  ":matches([callee.name=/^(it|test)$/], [callee.object.name=/^(it|test)$/][callee.property.name!='each'], [callee.callee.object.name=/^(it|test)$/])";
const tests = ['**/*.test.ts', '**/testing/**/*.ts', '**/test/**/*.ts'];

/*
 * Who may import what, and what else .oxlintrc.json cannot say. Types are not read here: the rules that need them are in that
 * file, with all others.
 */
export default tseslint.config(
  { ignores: ['**/*.{js,mjs,cjs}', '**/dist/**', '**/node_modules/**', '**/test-output/**', '.nx/**'] },
  ...nx.configs['flat/base'],
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(depConstraints),
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
        {
          selector:
            "CallExpression[callee.object.name='AbortSignal'][callee.property.name='any'] CallExpression[callee.property.name='timeout']",
          message: 'Node.js 20 collects such a timeout with its timer; take timeLimit of libs/base.',
        },
        {
          selector:
            ":matches(PropertyDefinition, MethodDefinition[kind!='constructor'], TSParameterProperty)[accessibility='private']",
          message: 'Write a private member as #name.',
        },
        {
          selector:
            "VariableDeclaration[kind='const'] > VariableDeclarator > Identifier.id[name=/^[A-Z][A-Z0-9]+(_[A-Z0-9]+)*$/]",
          message: 'Write the names of constants in camelCase.',
        },
        {
          selector: `CallExpression${oneOfTests}[arguments.1.type=/Function/] > :matches(Literal[value=/^[^\\s%$]+$/], TemplateLiteral[expressions.length=0][quasis.0.value.raw=/^\\S+$/]):first-child`,
          message: 'Write the title of a test as a sentence about behavior.',
        },
      ],
    },
  },
  {
    files: ['**/*.ts'],
    ignores: ['libs/kube/**', ...tests],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@kubernetes/client-node',
              message: 'Only libs/kube reads kubeconfigs; take its Client interface.',
            },
          ],
        },
      ],
    },
  },
  {
    files: pureFiles,
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', pureImports],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'The time is an argument.' },
        { object: 'Math', property: 'random', message: 'What is random is observed.' },
      ],
    },
  },
  { files: tests, rules: { '@nx/enforce-module-boundaries': boundaries(testConstraints, testImports) } },
);
