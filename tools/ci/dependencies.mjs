import { readFileSync } from 'node:fs';

/** An exact version, also of a package that is installed under another name. */
const exact = /^(npm:[\w@./-]+@)?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

/**
 * Compares the packages in the root package.json, and in the package.json of the Node.js release for tests, with the
 * lines of docs/dependencies.md.
 *
 * @returns the problems, one sentence each.
 */
export function dependencyProblems(manifest, page) {
  const { dependencies, devDependencies, optionalDependencies, overrides = {} } = manifest;
  const direct = { ...dependencies, ...devDependencies, ...optionalDependencies };
  const [lines, overrideLines] = linesOf(page);
  return [
    ...differences('dependency', Object.keys(direct), lines),
    ...differences('override', Object.keys(overrides), overrideLines),
    ...Object.entries({ ...direct, ...overrides })
      .filter(([, version]) => !exact.test(version))
      .map(([name, version]) => `${name}: ${version} is not an exact version`),
  ];
}

/** Returns the packages of the tables, and separately the packages below the heading "Overrides". */
function linesOf(page) {
  const direct = [];
  const overrides = [];
  let names = direct;
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) names = line === '## Overrides' ? overrides : direct;
    const [, name] = /^\| `([^`]+)` +\| +\S.*\|$/.exec(line) ?? [];
    if (name !== undefined) names.push(name);
  }
  return [direct, overrides];
}

function differences(what, named, lines) {
  return [
    ...named
      .filter((name) => !lines.includes(name))
      .map((name) => `${name}: the ${what} has no line of reason`),
    ...lines.filter((name) => !named.includes(name)).map((name) => `${name}: the line names no ${what}`),
    ...lines
      .filter((name, index) => lines.indexOf(name) !== index)
      .map((name) => `${name}: two lines for one ${what}`),
  ];
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const manifestIn = (folder) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const manifest = manifestIn('.');
  const dependencies = { ...manifest.dependencies, ...manifestIn('tools/ci/node24').dependencies };
  const page = readFileSync('docs/dependencies.md', 'utf8');
  const problems = dependencyProblems({ ...manifest, dependencies }, page);
  if (problems.length > 0) {
    console.error(`package.json and docs/dependencies.md differ:\n  ${problems.join('\n  ')}`);
    process.exitCode = 1;
  }
}
