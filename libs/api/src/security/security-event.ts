import { z } from 'zod';
import { securityGroup } from '../names.js';
import { ageColumn, fieldColumns, textColumn } from '../schema/columns.js';
import { commonStatus, objectName, timestamp } from '../schema/common.js';
import { defineKind } from '../schema/define.js';

const text = (max: number, description: string) => z.string().max(max).describe(description);

/** What is not read here is kept as it is: the kind belongs to who detects. */
const open = <T extends z.ZodObject>(schema: T) =>
  schema.meta({ ...schema.meta(), 'x-kubernetes-preserve-unknown-fields': true });

export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;

const subject = open(
  z.looseObject({
    apiVersion: text(256, 'API version of the object.').optional(),
    kind: text(128, 'Its kind.').optional(),
    name: text(2_000_000, 'Its name, as it was detected; it may be anything.').optional(),
    namespace: text(256, 'Its namespace.').optional(),
    uid: text(128, 'Its uid.').optional(),
    labels: z.record(z.string(), z.string()).optional().describe('Its labels when it was detected.'),
  }),
).describe('What the event is about.');

export const SecurityEvent = defineKind({
  group: securityGroup,
  version: 'v1alpha1',
  kind: 'SecurityEvent',
  plural: 'securityevents',
  shortNames: ['se'],
  namespaced: false,
  description: 'Something that was detected. Written by detectors, read by responders.',
  spec: open(
    z.looseObject({
      class: text(64, 'Detection, Anomaly, PolicyViolation, Forensic, Compliance or Audit.').optional(),
      type: text(128, 'What happened, such as ClusterAdminGranted.'),
      severity: z.enum(severities).optional(),
      clusterIdentity: open(
        z.looseObject({
          clusterName: text(256, 'Name of the cluster.').optional(),
          clusterID: text(256, 'Id of the cluster.').optional(),
        }),
      ).optional(),
      source: open(
        z.looseObject({
          kind: text(128, 'Kind of the detector.').optional(),
          name: text(256, 'Its name.').optional(),
        }),
      ).optional(),
      subject: subject.optional(),
      detectedAt: timestamp('When.').optional(),
      signals: z.array(z.string().max(1024)).max(128).optional().describe('What it was detected by.'),
      correlationID: text(256, 'The same for all events of one matter.').optional(),
      traceparent: text(128, 'W3C trace context of the detection.').optional(),
    }),
  ),
  status: open(
    z.looseObject({ ...commonStatus, phase: text(64, 'Active, Attested or Archived.').optional() }),
  ),
  printColumns: [
    ...fieldColumns('spec', 'Class', 'Type', 'Severity'),
    textColumn('Subject', '.spec.subject.name'),
    ageColumn,
  ],
});

/** The reference from a response. */
export const securityEventRef = z.object({
  name: objectName('Name of the SecurityEvent.').optional(),
  uid: text(128, 'Its uid.').optional(),
});

export type SecurityEvent = NonNullable<(typeof SecurityEvent)['_object']>;
