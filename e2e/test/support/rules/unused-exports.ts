import { readModule, resolveModule, type Module } from './modules.js';
import { projectOf } from './projects.js';

/** An unused export: no other file imports it, or no other project imports it from the entry of its package. */
interface UnusedExport {
  file: string;
  name: string;
}

/**
 * Returns the exports that no other file imports, and the exports of a package's entry that no other project imports.
 *
 * @param texts the source files of the workspace by path
 * @param entries the files of the workspace's packages by specifier, such as `@interlock/kube/testing`
 */
export function unusedExports(
  texts: ReadonlyMap<string, string>,
  entries: ReadonlyMap<string, string>,
): UnusedExport[] {
  const modules = new Map([...texts].map(([file, text]) => [file, readModule(text)]));
  const uses = new Uses(modules, entries);
  for (const [file, { imports }] of modules)
    for (const { from, names } of imports) {
      const target = resolveModule(file, from, entries);
      if (target !== undefined) uses.add(file, target, names);
    }
  return [...modules].flatMap(([file, module]) => uses.unusedOf(file, module));
}

/** The exports that are imported, each by its file and name. */
class Uses {
  readonly #modules: ReadonlyMap<string, Module>;
  readonly #entries: ReadonlyMap<string, string>;
  readonly #entryFiles: ReadonlySet<string>;
  /** `file#name` */
  readonly #used = new Set<string>();

  constructor(modules: ReadonlyMap<string, Module>, entries: ReadonlyMap<string, string>) {
    this.#modules = modules;
    this.#entries = entries;
    this.#entryFiles = new Set(entries.values());
  }

  /** Records that a file imports names, including the files from which the target re-exports them. */
  add(file: string, target: string, names: readonly string[] | undefined): void {
    const isOwnEntry = this.#entryFiles.has(target) && projectOf(file) === projectOf(target);
    for (const name of names ?? this.#namesOf(target)) this.#mark(target, name, isOwnEntry);
  }

  unusedOf(file: string, { declared, passedOn, stars }: Module): UnusedExport[] {
    const fromStars = stars.flatMap((from) => {
      const target = resolveModule(file, from, this.#entries);
      return target === undefined ? [] : this.#namesOf(target);
    });
    const names = [...declared, ...passedOn.map(({ name }) => name), ...fromStars];
    return names.filter((name) => !this.#used.has(`${file}#${name}`)).map((name) => ({ file, name }));
  }

  #namesOf(file: string): string[] {
    const module = this.#modules.get(file);
    if (!module) return [];
    const { declared, passedOn, stars } = module;
    return [
      ...declared,
      ...passedOn.map(({ name }) => name),
      ...stars.flatMap((from) => this.#namesOf(resolveModule(file, from, this.#entries) ?? '')),
    ];
  }

  #mark(file: string, name: string, isOwnEntry: boolean): void {
    const module = this.#modules.get(file);
    if (!module) return;
    if (!isOwnEntry) this.#used.add(`${file}#${name}`);
    const passed = module.passedOn.find((one) => one.name === name);
    if (passed) {
      this.#mark(resolveModule(file, passed.from, this.#entries) ?? '', passed.original, false);
      return;
    }
    if (module.declared.includes(name)) return;
    for (const from of module.stars) this.#mark(resolveModule(file, from, this.#entries) ?? '', name, false);
  }
}
