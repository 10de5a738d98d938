import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/* Both src/ and dist/ lie two folders below tools/. */
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The bundle of an app. */
export const bundleOf = (app: string): string => join(root, 'apps', app, 'dist/main.mjs');

/** A folder of a chart. */
export const chartFolder = (chart: string, folder: string): string => join(root, 'charts', chart, folder);
