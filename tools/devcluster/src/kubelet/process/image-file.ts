import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import type { ImageTable } from './image-table.js';

const programs = z.record(
  z.string().min(1),
  z.strictObject({
    command: z.array(z.string()).min(1),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
    files: z.record(z.string().startsWith('/'), z.string()).optional(),
  }),
);

/**
 * Returns the image table of a YAML file, which maps an image to its `command` and optional `args`, `env` and `files`.
 *
 * @throws Error that names the file, the field and the fix.
 */
export function readImageTable(file: string): ImageTable {
  const parsed = programs.safeParse(contentOf(file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const at = field === '' ? file : `${file}: ${field}`;
  throw new Error(
    `${at}: ${issue?.message ?? 'invalid'}; write an image and its program, such as "example/app: {command: [node, /srv/app.mjs]}"`,
  );
}

function contentOf(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${file}: ${why}`, { cause: error });
  }
}

/** The pause container, which waits and exits with 0 on SIGTERM. */
export const pauseImage: ImageTable = {
  'registry.k8s.io/pause': {
    command: ['sh', '-c', "trap 'exit 0' INT TERM; while :; do sleep 3600 & wait $!; done"],
  },
};

/** Returns the apps of a workspace that are bundled, as the images `interlock/<app>` of their charts. */
export function workspaceImages(root: string): ImageTable {
  const folder = join(root, 'apps');
  const apps = existsSync(folder) ? readdirSync(folder) : [];
  return Object.fromEntries(
    apps
      .map((app) => [app, join(folder, app, 'dist/main.mjs')] as const)
      .filter(([, bundle]) => existsSync(bundle))
      .map(([app, bundle]) => [`interlock/${app}`, { command: [process.execPath, bundle] }]),
  );
}
