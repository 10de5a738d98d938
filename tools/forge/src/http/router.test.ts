import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Router } from './router.js';

const templates = [
  'GET /repos/{owner}/{repo}',
  'GET /repos/{owner}/{repo}/commits',
  'GET /repos/{owner}/{repo}/commits/{ref+}',
  'GET /repos/{owner}/{repo}/commits/{ref+}/status',
  'GET /repos/{owner}/{repo}/contents/{path+}',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}',
  'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
  'GET /repos/{owner}/installation',
];
const router = new Router(
  templates.map((name) => {
    const [method = '', template = ''] = name.split(' ');
    return { method, template, value: name };
  }),
);
const inside = { owner: 'a', repo: 'b' };

test.each([
  ['GET', '/repos/a/b', templates[0], inside],
  ['HEAD', '/repos/a/b', templates[0], inside],
  ['GET', '/repos/a/installation', templates[7], { owner: 'a' }],
  ['GET', '/repos/a/b/commits', templates[1], inside],
  ['GET', '/repos/a/b/commits/heads/x', templates[2], { ...inside, ref: 'heads/x' }],
  ['GET', '/repos/a/b/commits/heads%2Fx', templates[2], { ...inside, ref: 'heads/x' }],
  ['GET', '/repos/a/b/commits/x/y/status', templates[3], { ...inside, ref: 'x/y' }],
  ['GET', '/repos/a/b/contents', templates[4], { ...inside, path: '' }],
  ['GET', '/repos/a/b/contents/', templates[4], { ...inside, path: '' }],
  ['GET', '/repos/a/b/contents/c%20d/e', templates[4], { ...inside, path: 'c d/e' }],
  ['PUT', '/repos/a/b/pulls/7/merge', templates[6], { ...inside, pull_number: '7' }],
])('the route of %s %s is found', (method, path, value, parameters) => {
  const found = router.find(method, path);
  expect(found?.route.value).toBe(value);
  expect(found?.parameters).toEqual(parameters);
});

test.each([
  ['POST', '/repos/a/b'],
  ['GET', '/repos/a'],
  ['GET', '/repos/a/b/pulls/7/merge'],
  ['GET', '/repos/a/b/commits/%zz'],
])('no route is registered for %s %s', (method, path) => {
  expect(router.find(method, path)).toBeUndefined();
});

test('encoded values are decoded', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (owner, path) => {
      const url = `/repos/${encodeURIComponent(owner)}/b/contents/${encodeURIComponent(path)}`;
      expect(router.find('GET', url)?.parameters).toEqual({ owner, repo: 'b', path });
    }),
  );
});
