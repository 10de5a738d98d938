import * as z from 'zod';

export const enqueueShape = z.strictObject({
  repository: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/),
  labels: z.array(z.string().min(1)).min(1),
  jobName: z.string().optional(),
  runId: z
    .string()
    .regex(/^\d{1,20}$/)
    .optional(),
  durationHint: z.number().min(0).optional(),
  payloadExtra: z.record(z.string(), z.unknown()).optional(),
  secrets: z.record(z.string(), z.string()).optional(),
  siblings: z.number().int().min(0).max(100).optional(),
});

export const messageShape = z.strictObject({ type: z.string().min(1), body: z.string() });

export const tokensShape = z.strictObject({
  kind: z.enum(['installation', 'registration', 'removal', 'tenant', 'runner', 'job']),
  subject: z.string().optional(),
});

export const groupShape = z.strictObject({
  scope: z.string().min(1),
  name: z.string().min(1),
  repositories: z.array(z.string()).optional(),
});

const seconds = z.number().min(0).optional();
const effect = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.number().int().min(200).max(599),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.unknown().optional(),
  }),
  z.strictObject({
    kind: z.literal('too-many-requests'),
    retryAfter: z.enum(['seconds', 'date', 'absent', 'absurd', 'negative']),
    seconds,
  }),
  z.strictObject({ kind: z.literal('primary-limit'), seconds }),
  z.strictObject({ kind: z.literal('secondary-limit'), seconds }),
  z.strictObject({
    kind: z.literal('huge-body'),
    bytes: z.number().int().min(1).max(268_435_456).optional(),
  }),
  ...(
    [
      'unauthorized',
      'reset',
      'reset-after-commit',
      'hang',
      'slow-body',
      'truncated-body',
      'wrong-content-type',
      'html',
      'empty',
    ] as const
  ).map((kind) => z.strictObject({ kind: z.literal(kind) })),
]);

export const faultShape = z.strictObject({
  match: z
    .strictObject({
      base: z.enum(['rest', 'token', 'tenant', 'broker', 'run', 'results']).optional(),
      method: z.string().optional(),
      route: z.string().optional(),
      path: z.string().optional(),
      subject: z
        .enum([
          'anonymous',
          'app',
          'installation',
          'registration',
          'removal',
          'tenant',
          'runner',
          'job',
          'unknown',
        ])
        .optional(),
      runner: z.number().int().optional(),
      session: z.string().optional(),
    })
    .optional(),
  effect,
  skip: z.number().int().min(0).optional(),
  /* JSON has no Infinity; 0 means all. */
  times: z
    .number()
    .int()
    .min(0)
    .transform((times) => (times === 0 ? Infinity : times))
    .optional(),
  probability: z.number().min(0).max(1).optional(),
  afterMs: z.number().min(0).optional(),
  forMs: z.number().min(0).optional(),
});
