import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';

type GitObjectType = 'blob' | 'tree' | 'commit';

interface FolderEntry {
  mode: string;
  id: string;
}

/** A file of a tree: its mode as in `git ls-tree`, and the id of its blob. */
interface FolderFile extends FolderEntry {
  path: string;
}

/** A commit to write; `author` and `committer` with their times, as in a commit object. */
interface FolderCommit {
  tree: string;
  parents: readonly string[];
  author: string;
  committer: string;
  message: string;
}

const folderMode = '40000';
const idBytes = 20;
const folderDigits = 2;
const coreSettings = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/**
 * A bare repository whose files are read and written without git (gitrepository-layout(5)): in a test with dozens of
 * commits, a process for each object and reference would cost more than the subject of the test. Reads objects only
 * while they are loose.
 */
export class BareFolder {
  constructor(readonly path: string) {}

  /** Creates an empty repository with the branch `main`. @param settings added to its configuration */
  init(settings = ''): void {
    for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) {
      mkdirSync(join(this.path, folder), { recursive: true });
    }
    writeFileSync(join(this.path, 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(this.path, 'config'), `${coreSettings}${settings}`);
  }

  /** Returns the object that a reference names, or undefined. */
  ref(name: string): string | undefined {
    return this.refs(name).get(name);
  }

  /** Returns the references that are in a folder such as `refs/heads`, or that have this name. */
  refs(under: string): Map<string, string> {
    const packed = join(this.path, 'packed-refs');
    const lines = existsSync(packed) ? readFileSync(packed, 'utf8').split('\n') : [];
    const found = new Map<string, string>();
    for (const [id = '', name] of lines.map((line) => line.split(' '))) {
      if (name === under || name?.startsWith(`${under}/`) === true) found.set(name, id);
    }
    for (const name of this.#looseRefs(under)) {
      found.set(name, readFileSync(join(this.path, name), 'utf8').trim());
    }
    return found;
  }

  /** Makes a reference name an object, whatever it named before. */
  putRef(name: string, id: string): void {
    putFile(join(this.path, name), `${id}\n`);
  }

  /** Returns the content of a loose object. @throws Error when there is none */
  content(id: string): Buffer {
    const object = inflateSync(readFileSync(this.#fileOf(id)));
    return object.subarray(object.indexOf(0) + 1);
  }

  /** Writes a blob. Returns its id. */
  putBlob(content: string | Buffer): string {
    return this.#put('blob', Buffer.from(content));
  }

  /** Writes a tree that has these files besides those of the tree `base`. Returns its id. */
  putTree(files: readonly FolderFile[], base?: string): string {
    const entries = base === undefined ? new Map<string, FolderEntry>() : parseTree(this.content(base));
    for (const name of new Set(files.map(({ path }) => path.split('/', 1)[0] ?? ''))) {
      const file = files.find(({ path }) => path === name);
      const inside = files.flatMap(({ path, ...rest }) =>
        path.startsWith(`${name}/`) ? [{ ...rest, path: path.slice(name.length + 1) }] : [],
      );
      const before = entries.get(name);
      const id = file?.id ?? this.putTree(inside, before?.mode === folderMode ? before.id : undefined);
      entries.set(name, { mode: file?.mode ?? folderMode, id });
    }
    return this.#put('tree', formatTree(entries));
  }

  /** Writes a commit. Returns its id. */
  putCommit({ tree, parents, author, committer, message }: FolderCommit): string {
    const above = parents.map((parent) => `parent ${parent}\n`).join('');
    const head = `tree ${tree}\n${above}author ${author}\ncommitter ${committer}\n`;
    return this.#put('commit', Buffer.from(`${head}\n${message}`));
  }

  /** Returns the id of the tree of a commit. */
  treeOf(commit: string): string {
    return this.content(commit).toString('latin1', 'tree '.length, 'tree '.length + 2 * idBytes);
  }

  #looseRefs(under: string): string[] {
    try {
      const options = { recursive: true, withFileTypes: true, encoding: 'utf8' } as const;
      const files = readdirSync(join(this.path, under), options).filter(
        (entry) => entry.isFile() && !entry.name.endsWith('.lock'),
      );
      return files.map((file) => join(file.parentPath, file.name).slice(this.path.length + 1));
    } catch {
      return existsSync(join(this.path, under)) ? [under] : [];
    }
  }

  #put(type: GitObjectType, content: Buffer): string {
    const object = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    const id = createHash('sha1').update(object).digest('hex');
    const file = this.#fileOf(id);
    if (!existsSync(file)) putFile(file, deflateSync(object, { level: 1 }));
    return id;
  }

  #fileOf(id: string): string {
    return join(this.path, 'objects', id.slice(0, folderDigits), id.slice(folderDigits));
  }
}

/* Under another name first, which git ignores, so that git never reads a part of the file. */
function putFile(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.put.lock`, content);
  renameSync(`${file}.put.lock`, file);
}

function parseTree(content: Buffer): Map<string, FolderEntry> {
  const entries = new Map<string, FolderEntry>();
  for (let at = 0; at < content.length;) {
    const end = content.indexOf(0, at);
    const [mode = '', name = ''] = content.toString('utf8', at, end).split(/ (.*)/s);
    at = end + 1 + idBytes;
    entries.set(name, { mode, id: content.toString('hex', end + 1, at) });
  }
  return entries;
}

/* git orders a folder as if its name ended with a slash. */
function formatTree(entries: ReadonlyMap<string, FolderEntry>): Buffer {
  const lines = [...entries].map(([name, { mode, id }]) => ({
    order: Buffer.from(mode === folderMode ? `${name}/` : name),
    line: Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  }));
  return Buffer.concat(lines.sort((a, b) => Buffer.compare(a.order, b.order)).map(({ line }) => line));
}
