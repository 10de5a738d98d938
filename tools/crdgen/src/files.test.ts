import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { crdFolder, generatedFiles } from './files.js';

const root = new URL('../../../', import.meta.url);

describe('generated files', () => {
  it.each([...generatedFiles()])('%s is up to date with crdgen:generate', (path, content) => {
    expect(readFileSync(new URL(path, root), 'utf8')).toBe(content);
  });

  it('do not include the file of a removed kind', () => {
    const present = readdirSync(new URL(crdFolder, root)).map((name) => `${crdFolder}/${name}`);
    expect(present.filter((path) => !generatedFiles().has(path))).toEqual([]);
  });

  it.each([...generatedFiles()].filter(([path]) => path.endsWith('.yaml')))(
    '%s means the same in YAML 1.1, with which kubectl and Helm read it',
    (_, content) => {
      expect(parse(content, { version: '1.1' })).toEqual(parse(content));
    },
  );
});
