import { describe, expect, it } from '@jest/globals';
import { byPriority } from '../registry/version-priority.js';
import { negotiate } from './negotiate.js';
import { requestInfo } from './request-info.js';

const info = (method: string, path: string): unknown =>
  requestInfo(method, new URL(path, 'https://x')).resource;

describe('requestInfo', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list', '', 'v1', 'pods', '', '', undefined],
    ['GET', '/api/v1/pods?watch=true', 'watch', '', 'v1', 'pods', '', '', undefined],
    ['GET', '/api/v1/pods?watch=false', 'list', '', 'v1', 'pods', '', '', undefined],
    ['GET', '/api/v1/namespaces/a/pods/p', 'get', '', 'v1', 'pods', 'a', 'p', undefined],
    ['GET', '/api/v1/namespaces/a/pods/p/log', 'get', '', 'v1', 'pods', 'a', 'p', 'log'],
    ['POST', '/api/v1/namespaces/a/pods', 'create', '', 'v1', 'pods', 'a', '', undefined],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection', '', 'v1', 'pods', 'a', '', undefined],
    ['GET', '/api/v1/namespaces/a', 'get', '', 'v1', 'namespaces', 'a', 'a', undefined],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update', '', 'v1', 'namespaces', 'a', 'a', 'finalize'],
    ['PATCH', '/apis/x.dev/v2/things/t/status', 'patch', 'x.dev', 'v2', 'things', '', 't', 'status'],
    ['DELETE', '/apis/x.dev/v2/things/a%2Fb', 'delete', 'x.dev', 'v2', 'things', '', 'a/b', undefined],
  ])('parses %s %s', (method, path, verb, group, version, plural, namespace, name, subresource) => {
    expect(info(method, path)).toEqual({ verb, group, version, plural, namespace, name, subresource });
  });

  it.each(['/', '/api', '/api/v1', '/apis', '/apis/x.dev', '/apis/x.dev/v1', '/version'])(
    'returns no resource for %s',
    (path) => {
      expect(info('GET', path)).toBeUndefined();
    },
  );
});

describe('negotiate', () => {
  it.each([
    [undefined, 'json', 'object'],
    ['*/*', 'json', 'object'],
    ['application/*', 'json', 'object'],
    ['application/yaml', 'yaml', 'object'],
    ['application/vnd.kubernetes.protobuf,application/json', 'json', 'object'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'json', 'table'],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', 'json', 'object'],
    ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', 'json', 'partialList'],
  ])('returns the encoding and the form for %s', (accept, encoding, as) => {
    expect(negotiate(accept)).toEqual({ encoding, as });
  });

  it('refuses unsupported media types', () => {
    expect(() => negotiate('application/vnd.kubernetes.protobuf')).toThrow(
      expect.objectContaining({ code: 406 }),
    );
  });
});

describe('byPriority', () => {
  it('prefers stable versions, then higher versions', () => {
    const sorted = ['v1alpha1', 'foo', 'v1beta1', 'v1', 'v11', 'v2', 'v1beta2'].sort(byPriority);
    expect(sorted).toEqual(['v11', 'v2', 'v1', 'v1beta2', 'v1beta1', 'v1alpha1', 'foo']);
  });
});
