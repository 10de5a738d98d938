import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workshop.js';

/** The image that a Dockerfile describes. */
export interface Dockerfile {
  /** The program and its first arguments. */
  entrypoint: string[];
  user: string;
  /** The default base image. */
  base: string;
  ports: number[];
  /** Copies the files of the image to their paths in a container, below a folder. */
  unpack(folder: string): void;
}

/**
 * Reads the Dockerfile of an app; its context is the folder of the app.
 *
 * @throws Error when a source of COPY is not `<folder>/*<ending>`, or the target does not end with a slash
 */
export function readDockerfile(app: string): Dockerfile {
  const context = join(root, 'apps', app);
  const text = readFileSync(join(context, 'Dockerfile'), 'utf8');
  const instructions = (name: string): string[] =>
    [...text.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, value]) => value ?? '');
  return {
    entrypoint: JSON.parse(instructions('ENTRYPOINT').join()) as string[],
    user: instructions('USER').join(),
    base: instructions('ARG')
      .join()
      .replace(/^BASE=/, ''),
    ports: instructions('EXPOSE').flatMap((ports) => ports.split(' ').map(Number)),
    unpack: (folder) => {
      for (const copy of instructions('COPY')) unpack(context, copy, folder);
    },
  };
}

function unpack(context: string, copy: string, folder: string): void {
  const [, sources, target] = /^(\S.*) (\/\S+\/)$/.exec(copy) ?? [];
  if (sources === undefined || target === undefined) throw new Error(`COPY ${copy}`);
  mkdirSync(join(folder, target), { recursive: true });
  for (const pattern of sources.split(' ')) {
    const [, source, ending] = /^(\S+)\/\*(\S+)$/.exec(pattern) ?? [];
    if (source === undefined || ending === undefined) throw new Error(`COPY ${copy}`);
    for (const name of readdirSync(join(context, source)).filter((file) => file.endsWith(ending)))
      cpSync(join(context, source, name), join(folder, target, name));
  }
}
