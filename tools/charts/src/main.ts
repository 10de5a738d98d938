import { mkdir, rm, writeFile } from 'node:fs/promises';
import { renderedFiles } from './fleet.js';
import { locateHelm } from './helm.js';
import { chartsPath } from './render.js';

/** Writes the files of `charts/rendered`, from which `npm start` installs the apps without Helm. */
const helm = locateHelm();
if (helm === undefined) {
  process.stderr.write('Helm is not available for this platform: run this on linux-x64.\n');
  process.exitCode = 1;
} else {
  const files = await renderedFiles(helm);
  await rm(chartsPath('rendered'), { recursive: true, force: true });
  await mkdir(chartsPath('rendered'));
  for (const [name, text] of files) await writeFile(chartsPath('rendered', name), text);
}
