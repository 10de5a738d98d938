import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { objectsAt, textAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import type { ContainerExit } from '../container-runtime.js';
import type { ContainerLog } from '../logs/container-log.js';
import type { Launch } from './launch.js';
import { rewritePaths, type Mount } from './mounts.js';

const maxFileBytes = 4096;
const maxLogBytes = 2048;
const maxLogLines = 80;

/**
 * Creates an empty file for the termination message and returns its mount, or none if the path is in a volume, from
 * which the message is then read.
 *
 * @param file path of the file on the machine
 */
export function terminationMount(container: JsonObject, file: string): Mount[] {
  const mountPath = textAt(container, 'terminationMessagePath');
  const isInVolume = objectsAt(container, 'volumeMounts').some((mount) =>
    `${mountPath}/`.startsWith(`${textAt(mount, 'mountPath').replace(/(.)\/+$/, '$1')}/`),
  );
  if (!mountPath.startsWith('/') || isInVolume) return [];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '', { mode: 0o666 });
  return [{ mountPath, source: file }];
}

interface EndedContainer {
  container: JsonObject;
  launch: Launch;
  log: ContainerLog;
}

/**
 * Returns the end of a container with its termination message: the text that it wrote to `terminationMessagePath`, or
 * with `FallbackToLogsOnError` the end of its log.
 */
export async function withMessage(
  ended: Promise<ContainerExit>,
  from: EndedContainer,
): Promise<ContainerExit> {
  const exit = await ended;
  const message = messageOf(exit, from);
  return message === '' ? exit : { ...exit, message };
}

function messageOf({ exitCode }: ContainerExit, { container, launch, log }: EndedContainer): string {
  const path = textAt(container, 'terminationMessagePath');
  const place = rewritePaths(path, launch.mounts);
  const written = place === path ? '' : contentOf(place);
  const usesLog = exitCode !== 0 && textAt(container, 'terminationMessagePolicy') === 'FallbackToLogsOnError';
  if (written !== '' || !usesLog) return written;
  const lines = log.lines().slice(-maxLogLines);
  const text = lines.map((line) => `${line.text}${line.isPartial ? '' : '\n'}`).join('');
  return Buffer.from(text, 'latin1').subarray(-maxLogBytes).toString('utf8');
}

function contentOf(path: string): string {
  try {
    return readFileSync(path).subarray(0, maxFileBytes).toString('utf8');
  } catch {
    return '';
  }
}
