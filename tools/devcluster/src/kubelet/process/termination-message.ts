import { readFileSync } from 'node:fs';
import { textAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import type { ContainerExit } from '../container-runtime.js';
import type { ContainerLog } from '../logs/container-log.js';
import type { Launch } from './launch.js';
import { rewritePaths } from './mounts.js';

const maxFileBytes = 4096;
const maxLogBytes = 2048;
const maxLogLines = 80;

interface EndedContainer {
  container: JsonObject;
  launch: Launch;
  log: ContainerLog;
}

/**
 * Returns the end of a container with its termination message: what it wrote to `terminationMessagePath`, if that is in
 * one of its volumes, or under `FallbackToLogsOnError` the end of its log.
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
