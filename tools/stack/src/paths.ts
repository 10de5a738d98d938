import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/* Both src/ and dist/ are two levels below tools/. */

/** The folder that contains apps, charts and tools. */
export const workspace = fileURLToPath(new URL('../../../', import.meta.url));

/** Returns the bundle of an app. */
export const bundleOf = (app: string): string => join(workspace, 'apps', app, 'dist/main.mjs');

/** Returns a file or folder of a chart. */
export const chartFile = (chart: string, path: string): string => join(workspace, 'charts', chart, path);
