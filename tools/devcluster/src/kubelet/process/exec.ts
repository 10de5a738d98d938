import { runProgram } from '@interlock/process';
import type { HandlerResult } from '../container-runtime.js';
import type { Launch } from './launch.js';
import { rewritePaths } from './mounts.js';
import { besideProcess } from './namespaces.js';

const maxOutputBytes = 64 * 1024;

/** A container in which a command runs. */
interface ExecTarget {
  /** The launch of the container. */
  launch: Launch;
  /** The first process of the container, if it has namespaces. */
  namespacesOf: number | undefined;
}

/** Runs a command as a probe or a hook in the environment of a container. Never rejects. */
export async function execIn(
  { launch, namespacesOf }: ExecTarget,
  command: readonly string[],
  timeoutMs: number,
): Promise<HandlerResult> {
  const isRewritten = namespacesOf === undefined;
  const [program = '', ...args] = command.map((text) =>
    isRewritten ? rewritePaths(text, launch.mounts) : text,
  );
  const own = { ...launch, program, args };
  const { mounts: _mounts, ...start } = isRewritten ? own : besideProcess(namespacesOf, own);
  try {
    const { code, stdout, stderr } = await runProgram({ ...start, timeoutMs, maxOutputBytes });
    return { isSuccess: code === 0, output: `${stdout.toString('utf8')}${stderr}` };
  } catch (error) {
    return { isSuccess: false, output: error instanceof Error ? error.message : String(error) };
  }
}
