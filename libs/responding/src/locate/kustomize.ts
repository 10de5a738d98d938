import { kustomizationNames } from '../change/kustomization.js';
import { folderOf, inFolder, resolvePath } from '../change/paths.js';
import { isObject, type JsonObject } from '../change/json.js';
import type { Json } from '../change/operation.js';
import { findDocuments } from '../change/yaml/documents.js';
import { parseYaml } from '../change/yaml/source.js';
import type { Transform } from './delivery.js';

/** Text of files by path. */
export type Files = ReadonlyMap<string, string>;

/** A file of manifests, and the transformation of its names. One file may be used several times. */
interface UsedFile {
  path: string;
  transform: Transform;
}

interface Used {
  files: UsedFile[];
  /** Named paths, including folders, that are not in the given files. */
  missing: string[];
}

const maxDepth = 16;
const maxFiles = 5000;
/* Kustomizations may name one another in circles. */
const maxVisits = 1000;

/**
 * Returns the manifests that a folder delivers: those that its kustomization lists, directly or through others. A
 * folder without a kustomization delivers all its YAML files and, with `recurse`, the YAML files of the folders
 * below.
 */
export function usedFiles(files: Files, folder: string, recurse: boolean, transform: Transform): Used {
  const walk = new Walk(files);
  walk.folder(folder, recurse, transform, 0);
  return { files: walk.used.slice(0, maxFiles), missing: [...walk.missing].sort() };
}

class Walk {
  readonly used: UsedFile[] = [];
  readonly missing = new Set<string>();
  #visits = 0;
  /** The values of kustomizations, of which each is parsed once. */
  readonly #values = new Map<string, Json | undefined>();

  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  folder(folder: string, recurse: boolean, outer: Transform, depth: number): void {
    this.#visits += 1;
    if (depth > maxDepth || this.#visits > maxVisits || this.used.length > maxFiles) return;
    const kustomization = this.#kustomizationOf(folder);
    if (kustomization !== undefined) {
      this.#kustomization(kustomization, outer, depth);
      return;
    }
    for (const path of this.#files.keys()) {
      if (folderOf(path) === folder && /\.ya?ml$/.test(path)) this.used.push({ path, transform: outer });
    }
    if (recurse) for (const below of this.#foldersIn(folder)) this.folder(below, true, outer, depth + 1);
  }

  #kustomizationOf(folder: string): string | undefined {
    return kustomizationNames.map((name) => inFolder(folder, name)).find((path) => this.#files.has(path));
  }

  #foldersIn(folder: string): string[] {
    const start = folder === '' ? 0 : folder.length + 1;
    const names = [...this.#files.keys()]
      .filter((path) => folder === '' || path.startsWith(`${folder}/`))
      .filter((path) => path.indexOf('/', start) > 0)
      .map((path) => path.slice(0, path.indexOf('/', start)));
    return [...new Set(names)];
  }

  #kustomization(path: string, outer: Transform, depth: number): void {
    const value = this.#valueOf(path);
    if (!isObject(value)) return;
    const inner = composed(value, outer);
    const entries = ['resources', 'bases', 'components'].flatMap((field) => textsOf(value, field));
    for (const entry of entries) {
      const target = resolvePath(folderOf(path), entry);
      if (target === undefined) continue;
      if (this.#files.has(target)) this.used.push({ path: target, transform: inner });
      else if (this.#hasFolder(target)) this.folder(target, false, inner, depth + 1);
      else this.missing.add(target);
    }
  }

  /** Returns the value of the first document of a kustomization. */
  #valueOf(path: string): Json | undefined {
    if (!this.#values.has(path)) {
      const [found] = findDocuments(path, parseYaml(path, this.#files.get(path) ?? ''));
      this.#values.set(path, found?.value);
    }
    return this.#values.get(path);
  }

  #hasFolder(folder: string): boolean {
    return this.#kustomizationOf(folder) !== undefined;
  }
}

/** Returns the combined transformation: the outer prefix comes first, the outer suffix last, and the outer namespace wins. */
function composed(kustomization: JsonObject, outer: Transform): Transform {
  const text = (key: string): string | undefined => {
    const value = Object.hasOwn(kustomization, key) ? kustomization[key] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    ...outer,
    prefix: outer.prefix + (text('namePrefix') ?? ''),
    suffix: (text('nameSuffix') ?? '') + outer.suffix,
    namespace: outer.namespace ?? text('namespace'),
  };
}

function textsOf(value: JsonObject, key: string): string[] {
  const list = Object.hasOwn(value, key) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
}
