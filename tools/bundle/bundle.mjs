import { existsSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { entryPlugin, stoppableEntry } from './entry.mjs';
import { noticesOf } from './notices.mjs';
import { bundledPackages } from './packages.mjs';
import { sbomOf } from './sbom.mjs';
import { slimPlugin } from './slim.mjs';
import { workerPlugin } from './worker-source.mjs';

const [root] = process.argv.slice(2);
if (!root) throw new Error('usage: bundle.mjs <project folder>');

/* CommonJS dependencies expect these three names, which an ES module does not define. */
const commonJsNames = `
import { createRequire as __createRequire } from 'node:module';
import { fileURLToPath as __fileURLToPath } from 'node:url';
import { dirname as __dirnameOf } from 'node:path';
const require = __createRequire(import.meta.url);
const __filename = __fileURLToPath(import.meta.url);
const __dirname = __dirnameOf(__filename);
`;

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const program = join(root, 'src/main.ts');
/* Only the program of an image is process 1. */
const entryPoints = existsSync(join(root, 'Dockerfile')) ? stoppableEntry(program) : { main: program };
const startedAt = new Date();
const scripts = { inputs: {}, outputs: {} };
const options = {
  outdir: join(root, 'dist'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: 'linked',
  legalComments: 'none',
  banner: { js: commonJsNames },
  metafile: true,
  plugins: [entryPlugin(program), slimPlugin(), workerPlugin(scripts)],
  logLevel: 'warning',
  write: false,
};
const result = await build({ ...options, entryPoints, splitting: true });
for (const { path, contents } of result.outputFiles) replaceFile(path, contents);
/* Programs that the app provides to other containers, each in a separate file that shares no chunk with the app. */
for (const [name, source] of Object.entries(manifest.programs ?? {})) {
  const built = await build({ ...options, entryPoints: { [name]: source }, sourcemap: false, banner: {} });
  for (const { path, contents } of built.outputFiles) replaceFile(path, contents);
  Object.assign(result.metafile.inputs, built.metafile.inputs);
  Object.assign(result.metafile.outputs, built.metafile.outputs);
}
/* The scripts of threads are shipped as well. */
Object.assign(result.metafile.inputs, scripts.inputs);
Object.assign(result.metafile.outputs, scripts.outputs);

const { name, version } = manifest;
const { license } = JSON.parse(readFileSync('package.json', 'utf8'));
const packages = bundledPackages(result.metafile, '.');
const component = { name: name.replace('@interlock/', 'interlock-'), version, license };
replaceFile(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), noticesOf(packages));
replaceFile(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(sbomOf(component, packages), null, 2)}\n`);
/* Written last, with the time before the sources were read, so that a file that changes meanwhile is newer. */
const meta = join(root, 'dist/meta.json');
replaceFile(meta, JSON.stringify(result.metafile));
utimesSync(meta, startedAt, startedAt);

/** Writes a file and then renames it, so that a program that starts meanwhile reads the previous file. */
function replaceFile(path, contents) {
  const unfinished = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(unfinished, contents);
  renameSync(unfinished, path);
}
