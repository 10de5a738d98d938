import { foreignYaml } from '@interlock/responding';
import type { DocumentOptions, ScalarTag, SchemaOptions, Tags } from 'yaml';

/** What YAML 1.1 defines, and sigs.k8s.io/yaml reads as text: times, and numbers to the base 60. */
function isRead(tag: Tags[number]): boolean {
  return typeof tag === 'string' || (tag.tag !== 'tag:yaml.org,2002:timestamp' && formatOf(tag) !== 'TIME');
}

function formatOf(tag: object): unknown {
  return 'format' in tag ? tag.format : undefined;
}

/** An octal number of YAML 1.2, which sigs.k8s.io/yaml reads as well. */
const octal: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0o[0-7]+$/,
  resolve: (text) => parseInt(text.replace('0o', ''), 8),
};

/**
 * Options for manifests, which are read like kubectl, Flux and Argo CD read them with sigs.k8s.io/yaml: as YAML 1.1,
 * where `no`, `on` and `y` are booleans, `010` is 8, `1_000` is a number, and `<<` merges maps.
 */
export const manifestYaml: DocumentOptions & SchemaOptions & { uniqueKeys: boolean } = {
  ...foreignYaml,
  version: '1.1',
  schema: 'yaml-1.1',
  customTags: (tags) => [octal, ...foreignYaml.customTags(tags).filter(isRead)],
};
