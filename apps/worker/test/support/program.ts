import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Returns the program of worker pods as one script, built as the bundle is. */
export function buildProgram(): string {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('../../src/main.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
  });
  return outputFiles[0]!.text;
}
