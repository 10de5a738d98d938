import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const configuration = join(root, '.oxlintrc.json');

/** A program that breaks each rule of .oxlintrc.json. */
const samples: Record<string, string> = {
  'typescript/adjacent-overload-signatures':
    'export interface A { f(a: string): void; g(): void; f(a: number): void }',
  'typescript/array-type': 'export type A = Array<string>;',
  'typescript/await-thenable': 'export async function f(): Promise<void> { await 1; }',
  'typescript/ban-ts-comment': '// @ts-ignore\nexport const a = 1;',
  'typescript/ban-tslint-comment': '// tslint:disable\nexport const a = 1;',
  'typescript/class-literal-property-style': "export class A { get a() { return 'a'; } b() { return 1; } }",
  'typescript/consistent-generic-constructors': 'export const a: Map<string, number> = new Map();',
  'typescript/consistent-indexed-object-style': 'export interface A { [key: string]: number }',
  'typescript/consistent-type-assertions': "export const a = <string>JSON.parse('1');",
  'typescript/consistent-type-definitions': 'export type A = { a: string };',
  'typescript/consistent-type-imports': "import { Stats } from 'node:fs';\nexport type A = Stats;",
  'typescript/no-confusing-non-null-assertion':
    'export const f = (a: number | undefined, b: number) => a! == b;',
  'typescript/no-duplicate-enum-values': "export enum A { B = 'b', C = 'b' }",
  'typescript/no-dynamic-delete':
    'export function f(a: Record<string, number>, b: string): void { delete a[b]; }',
  'typescript/no-empty-object-type': 'export const a: {} = 1;',
  'typescript/no-explicit-any': 'export const a: any = 1;',
  'typescript/no-extra-non-null-assertion': 'export const f = (a: number | undefined): number => a!!;',
  'typescript/no-extraneous-class': 'export class A { static a = 1; }',
  'typescript/no-floating-promises': 'export function f(): void { Promise.resolve(1); }',
  'typescript/no-inferrable-types': 'export const a: number = 1;',
  'typescript/no-invalid-void-type': 'export type A = string | void;',
  'typescript/no-misused-new': 'export interface A { new (): A }',
  'typescript/no-misused-promises': 'export const f = (a: Promise<number>): number => (a ? 1 : 2);',
  'typescript/no-namespace': 'export namespace A { export const a = 1; }',
  'typescript/no-non-null-asserted-nullish-coalescing':
    'export const f = (a: { b?: number }): number => a.b! ?? 1;',
  'typescript/no-non-null-asserted-optional-chain': 'export const f = (a?: { b: number }): number => a?.b!;',
  'typescript/no-non-null-assertion': 'export const f = (a?: number): number => a!;',
  'typescript/no-require-imports': "export const a: unknown = require('node:fs');",
  'typescript/no-this-alias': 'export class A { f(): A { const a = this; return a; } }',
  'typescript/no-unnecessary-type-constraint': 'export const f = <A extends unknown>(a: A): A => a;',
  'typescript/no-unsafe-declaration-merging': 'export interface A { a: string }\nexport class A { b = 1; }',
  'typescript/no-unsafe-function-type': 'export const f = (a: Function): unknown => a;',
  'typescript/no-wrapper-object-types': 'export const f = (a: String): unknown => a;',
  'typescript/prefer-as-const': "export const a = 'a' as 'a';",
  'typescript/prefer-for-of':
    'export function f(a: string[]): void { for (let i = 0; i < a.length; i++) console.log(a[i]); }',
  'typescript/prefer-function-type': 'export interface A { (): string }',
  'typescript/prefer-literal-enum-member': 'const b = 1;\nexport enum A { B = b }',
  'typescript/prefer-namespace-keyword': 'declare module A { const a: number }',
  'typescript/switch-exhaustiveness-check':
    "export function f(a: 'b' | 'c'): void { switch (a) { case 'b': return; } }",
  'typescript/triple-slash-reference': '/// <reference path="a" />\nexport const a = 1;',
  'typescript/unified-signatures': 'export interface A { f(a: string): void; f(a: number): void }',
  'no-array-constructor': 'export const a = new Array(1, 2);',
  'no-empty-function': 'export function f(): void {}',
  'no-unused-expressions': 'export function f(a: number): void { a === 1; }',
  'no-unused-vars': 'export function f(): void { const a = 1; }',
  'no-useless-constructor': 'export class A { a = 1; constructor() {} }',
  'no-var': 'export var a = 1;',
  'prefer-const': 'export function f(): number { let a = 1; return a; }',
  'prefer-rest-params': 'export function f(): unknown { return arguments; }',
  'prefer-spread': 'export const f = (a: number[]): number => Math.max.apply(Math, a);',
  'max-lines': 'export const a = [\n'.concat('  1,\n'.repeat(300), '];'),
  'max-lines-per-function': 'export function f(): void {\n'.concat('  console.log();\n'.repeat(60), '}'),
};

const fileOf = (rule: string): string => `src/${rule.replaceAll('/', '-')}.ts`;

interface Report {
  diagnostics: { code: string; filename: string }[];
}

/** The rules that each file breaks. */
const broken = new Map<string, string[]>();
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-lint-'));
  cpSync(configuration, join(folder, '.oxlintrc.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const tsconfig = { extends: join(root, 'tsconfig.base.json'), include: ['src/*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  mkdirSync(join(folder, 'src'));
  for (const [rule, text] of Object.entries(samples)) writeFileSync(join(folder, fileOf(rule)), `${text}\n`);
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const { stdout } = spawnSync(process.execPath, [oxlint, '--format=json', 'src'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (!stdout.startsWith('{')) throw new Error(`oxlint did not report: ${stdout}`);
  for (const { code, filename } of (JSON.parse(stdout) as Report).diagnostics)
    broken.set(filename, [...(broken.get(filename) ?? []), code]);
}, 120_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the rules of .oxlintrc.json', () => {
  it.each(Object.keys(samples))('refuse violations of %s', (rule) => {
    const name = rule.replace(/^.*\//, '');
    const codes = broken.get(fileOf(rule)) ?? [];
    expect(codes.map((code) => code.replace(/^.*\((.*)\)$/, '$1'))).toContain(name);
  });

  it('each have a sample', () => {
    const named = [
      ...readFileSync(configuration, 'utf8').matchAll(
        /"((?:typescript\/)?[a-z-]+)": (?:\["|")(?:error|warn)"/g,
      ),
    ];
    expect(new Set(named.map(([, rule]) => rule))).toEqual(new Set(Object.keys(samples)));
  });
});
