/** Files that contain words to avoid, and the reasons. */
export const wordExceptions: readonly { files: readonly string[]; reason: string }[] = [
  {
    files: ['e2e/test/style.test.ts', 'e2e/test/support/rules/words.ts', 'CONTRIBUTING.md'],
    reason: 'they name these words',
  },
  {
    files: [
      'tools/conformance/src/groups/admission-webhooks/configurations.ts',
      'tools/conformance/src/groups/custom-resources/expressions.ts',
    ],
    reason: 'they have the words as data: a scope that does not exist, and a greeting',
  },
];

/** The types of the interface of SCM plugins, which users write (docs/scm.md), and the files that export them. */
export const publishedTypes = {
  file: 'libs/scm/src/scm.ts',
  exportedBy: ['libs/scm/src/scm.ts', 'libs/scm/src/index.ts'] as readonly string[],
};

/** Types that the compiler names in the declarations of modules that do not import them. */
export const typesInDeclarations = { names: ['CustomObject', 'Definition', 'Flag'] as readonly string[] };
