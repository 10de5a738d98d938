import type { Plugin } from 'esbuild';

/** What tests need that bundle a program themselves. */
export function workerPlugin(): Plugin;
