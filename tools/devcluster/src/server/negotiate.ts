import { notAcceptable } from '../api/api-error.js';

/** How the client wants objects. */
export interface Format {
  encoding: 'json' | 'yaml';
  as: 'object' | 'table' | 'partial';
}

/** Parses one media range; parameters by name. */
function mediaRanges(accept: string): { type: string; params: Map<string, string> }[] {
  return accept.split(',').flatMap((range) => {
    const [type = '', ...params] = range.split(';').map((part) => part.trim());
    if (type === '') return [];
    const named = params.map((param): [string, string] => {
      const [key = '', value = ''] = param.split('=');
      return [key, value];
    });
    return [{ type, params: new Map(named) }];
  });
}

/** The first acceptable format, in the order of the header. Throws a 406. */
export function negotiate(accept: string | undefined): Format {
  const ranges = mediaRanges(accept ?? '*/*');
  if (ranges.length === 0) return { encoding: 'json', as: 'object' };
  for (const { type, params } of ranges) {
    const encoding = encodingOf(type);
    const as = shapeOf(params);
    if (encoding !== undefined && as !== undefined) return { encoding, as };
  }
  throw notAcceptable(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']);
}

function encodingOf(type: string): Format['encoding'] | undefined {
  if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
}

function shapeOf(params: Map<string, string>): Format['as'] | undefined {
  const as = params.get('as');
  if (as === undefined) return 'object';
  if (params.get('g') !== 'meta.k8s.io' || params.get('v') !== 'v1') return undefined;
  if (as === 'Table') return 'table';
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'partial' : undefined;
}

/** Whether the client takes aggregated discovery, version 2. */
export function wantsAggregatedDiscovery(accept: string | undefined): boolean {
  return mediaRanges(accept ?? '').some(
    ({ type, params }) =>
      type === 'application/json' && params.get('g') === 'apidiscovery.k8s.io' && params.get('v') === 'v2',
  );
}
