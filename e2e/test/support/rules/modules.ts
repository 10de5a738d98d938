import { dirname, join, normalize } from 'node:path/posix';

/** The names that a module imports or re-exports from another module. */
interface Taken {
  /** The specifier of the other module, such as `./queue.js`. */
  from: string;
  /** The names in the other module; `undefined` for all of them. */
  names: readonly string[] | undefined;
}

/** The exports and imports of a module. */
export interface Module {
  /** The names that the module declares and exports. */
  declared: readonly string[];
  imports: readonly Taken[];
  /** Re-exports: `name` is the exported name, and `original` is the name in the other module. */
  passedOn: readonly { from: string; name: string; original: string }[];
  /** The modules whose exports are all re-exported. */
  stars: readonly string[];
}

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
const listed = /^(import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'([^']+)'/gm;
const ownList = /^export\s+(?:type\s+)?\{([^}]*)\};/gm;
const star = /^export\s+(?:type\s+)?\*\s+from\s+'([^']+)'/gm;
const everything = /^import\s+(?:type\s+)?\*\s+as\s+\w+\s+from\s+'([^']+)'|\bimport\(\s*'([^']+)',?\s*\)/gm;
/** The types that a JavaScript file names in a comment. */
const inComment = /^ \* @import \{([^}]*)\}\s+from\s+'([^']+)'/gm;

/** Reads the imports and exports of a file that prettier has formatted. */
export function readModule(text: string): Module {
  const lists = [...text.matchAll(listed)].map(([, kind, names = '', from = '']) => ({
    kind,
    from,
    names: namesIn(names),
  }));
  const imports: Taken[] = lists
    .filter(({ kind }) => kind === 'import')
    .map(({ from, names }) => ({ from, names: names.map(({ original }) => original) }));
  for (const [, names = '', from = ''] of text.matchAll(inComment))
    imports.push({ from, names: namesIn(names.replace(/^ \*/gm, '')).map(({ original }) => original) });
  for (const [, first, second] of text.matchAll(everything))
    imports.push({ from: first ?? second ?? '', names: undefined });
  const own = [...text.matchAll(ownList)].flatMap(([, names = '']) => namesIn(names));
  return {
    declared: [
      ...[...text.matchAll(declaration)].map(([, name = '']) => name),
      ...own.map(({ name }) => name),
    ],
    imports,
    passedOn: lists
      .filter(({ kind }) => kind === 'export')
      .flatMap(({ from, names }) => names.map(({ name, original }) => ({ from, name, original }))),
    stars: [...text.matchAll(star)].map(([, from = '']) => from),
  };
}

/** Returns the names of a list between braces: `type a as b` has the original name `a` and the name `b`. */
function namesIn(list: string): { name: string; original: string }[] {
  return list
    .split(',')
    .map((one) => one.trim().replace(/^type\s+/, ''))
    .filter((one) => one !== '')
    .map((one) => {
      const [original = '', name = original] = one.split(/\s+as\s+/);
      return { name, original };
    });
}

/**
 * Returns the file that a specifier names, or undefined for a package that is not part of the workspace.
 *
 * @param entries the files of the workspace's packages by specifier, such as `@interlock/kube/testing`
 */
export function resolveModule(
  file: string,
  specifier: string,
  entries: ReadonlyMap<string, string>,
): string | undefined {
  if (!specifier.startsWith('.')) return entries.get(specifier);
  return normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts');
}
