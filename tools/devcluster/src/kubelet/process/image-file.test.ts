import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readImageTable, workspaceImages } from './image-file.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'images-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function written(text: string): string {
  const file = join(folder, 'images.yaml');
  writeFileSync(file, text);
  return file;
}

describe('readImageTable', () => {
  it('returns the programs of a file', () => {
    const text = 'example/app: { command: [node, /srv/app.mjs], env: { MODE: test } }\n';
    expect(readImageTable(written(text))).toEqual({
      'example/app': { command: ['node', '/srv/app.mjs'], env: { MODE: 'test' } },
    });
  });

  it.each([
    ['an empty command', 'app: { command: [] }', 'images.yaml: app.command: '],
    ['an unknown field', 'app: { command: [node], run: x }', 'images.yaml: app: '],
    ['a variable that is not text', 'app: { command: [node], env: { A: 1 } }', 'images.yaml: app.env.A: '],
    ['a list', '- app', 'images.yaml: '],
    ['text that is not YAML', 'app: {', 'images.yaml: '],
  ])('refuses %s and names the field', (_title, text, message) => {
    const file = written(text);
    expect(() => readImageTable(file)).toThrow(message);
  });

  it('names a file that does not exist', () => {
    expect(() => readImageTable(join(folder, 'none.yaml'))).toThrow('none.yaml: ENOENT');
  });
});

describe('workspaceImages', () => {
  it('returns an image for each bundled app', () => {
    const bundle = join(folder, 'apps/web/dist/main.mjs');
    mkdirSync(join(folder, 'apps/web/dist'), { recursive: true });
    mkdirSync(join(folder, 'apps/unbuilt'));
    writeFileSync(bundle, '');
    expect(workspaceImages(folder)).toEqual({ 'interlock/web': { command: [process.execPath, bundle] } });
  });

  it('returns no images outside of a workspace', () => {
    expect(workspaceImages(join(folder, 'none'))).toEqual({});
  });
});
