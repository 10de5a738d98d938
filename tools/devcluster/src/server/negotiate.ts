import { notAcceptable } from '../api/api-error.js';

/** The requested form of objects. */
export interface Format {
  encoding: 'json' | 'yaml';
  /** `partialList` is `partial` for lists. */
  as: 'object' | 'table' | 'partial' | 'partialList';
}

const mediaTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

interface MediaRange {
  type: string;
  params: Map<string, string>;
}

/** Returns the media ranges by descending weight (RFC 9110, section 12.5.1), and by their order for equal weights. */
function mediaRanges(accept: string): MediaRange[] {
  const ranges = accept.split(',').flatMap((range): MediaRange[] => {
    const [type = '', ...params] = range.split(';').map((part) => part.trim());
    if (type === '') return [];
    const named = params.map((param): [string, string] => {
      const [key = '', value = ''] = param.split('=');
      return [key, value];
    });
    return [{ type, params: new Map(named) }];
  });
  return ranges.sort((a, b) => weightOf(b) - weightOf(a));
}

function weightOf({ params }: MediaRange): number {
  const weight = Number(params.get('q') ?? 1);
  return Number.isNaN(weight) ? 1 : weight;
}

/**
 * Checks that the client accepts a media type of the built-in kinds by its name, or any type. Their router does not know
 * ranges such as `application/*`, which are served for custom resources (go-restful, `matchesAccept`). Throws a 406.
 */
export function checkAcceptsBuiltIn(accept: string | undefined): void {
  const ranges = mediaRanges(accept ?? '');
  if (ranges.length > 0 && !ranges.some(({ type }) => type === '*/*' || mediaTypes.includes(type)))
    throw notAcceptable(mediaTypes);
}

/** Returns the acceptable format that the client prefers. Throws a 406. */
export function negotiate(accept: string | undefined): Format {
  return choose(accept, ['object', 'table', 'partial', 'partialList']);
}

/** Returns the encoding of a document that is not transformed, such as a list of resources. Throws a 406. */
export function negotiateDocument(accept: string | undefined): Format['encoding'] {
  return choose(accept, ['object']).encoding;
}

function choose(accept: string | undefined, shapes: readonly Format['as'][]): Format {
  const ranges = mediaRanges(accept ?? '*/*');
  if (ranges.length === 0) return { encoding: 'json', as: 'object' };
  for (const { type, params } of ranges) {
    const encoding = encodingOf(type);
    const as = shapeOf(params);
    if (encoding !== undefined && as !== undefined && shapes.includes(as)) return { encoding, as };
  }
  throw notAcceptable(mediaTypes);
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
  if (as === 'PartialObjectMetadata') return 'partial';
  return as === 'PartialObjectMetadataList' ? 'partialList' : undefined;
}

/** Returns whether the client accepts aggregated discovery, version 2. */
export function wantsAggregatedDiscovery(accept: string | undefined): boolean {
  return mediaRanges(accept ?? '').some(
    ({ type, params }) =>
      type === 'application/json' &&
      params.get('g') === 'apidiscovery.k8s.io' &&
      params.get('v') === 'v2' &&
      params.get('as') === 'APIGroupDiscoveryList',
  );
}
