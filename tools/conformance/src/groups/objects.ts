import { defineGroup } from '../suite/case.js';
import { bodyRules } from './objects/bodies.js';
import { dataRules } from './objects/data.js';
import { deletionRules } from './objects/deletion.js';
import { dryRunRules } from './objects/dry-run.js';
import { metadataRules } from './objects/metadata.js';
import { nameRules } from './objects/names.js';
import { portRules } from './objects/ports.js';

export const objects = defineGroup(
  'objects',
  { source: 'https://kubernetes.io/docs/concepts/overview/working-with-objects/' },
  (rule) => {
    metadataRules(rule);
    nameRules(rule);
    bodyRules(rule);
    dataRules(rule);
    portRules(rule);
    dryRunRules(rule);
    deletionRules(rule);
  },
);
