import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import preset from './tools/jest/preset.mjs';

/* A test file of the first ones takes minutes, so that none of them is left for the end. */
const first = ['e2e', 'apps/promoter', 'libs/scm'];
const folders = ['apps', 'libs', 'tools']
  .flatMap((folder) => readdirSync(new URL(`${folder}/`, import.meta.url)).map((name) => join(folder, name)))
  .filter((folder) => existsSync(new URL(`${folder}/jest.config.mjs`, import.meta.url)));

/* What jest takes for a whole run only, and not for each project. */
const ofRun = ['reporters', 'workerIdleMemoryLimit', 'testTimeout'];

async function projectOf(folder) {
  const { default: config } = await import(`./${folder}/jest.config.mjs`);
  const project = Object.entries(config).filter(([name]) => !ofRun.includes(name));
  const { testTimeout } = config;
  return {
    ...Object.fromEntries(project),
    rootDir: `<rootDir>/${folder}`,
    testEnvironmentOptions: { testTimeout },
  };
}

/** All projects in one run, so that the workers share what there is to do. One alone: `npx nx test <project>`. */
export default {
  projects: await Promise.all([...new Set([...first, ...folders])].map(projectOf)),
  testSequencer: '<rootDir>/tools/jest/sequencer.mjs',
  reporters: preset.reporters,
  workerIdleMemoryLimit: preset.workerIdleMemoryLimit,
};
