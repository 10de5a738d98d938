import { many, metadata, one, type Message } from './message.js';

const range: Message = {
  1: ['scaleTargetRef', one({ 1: ['kind', 'string'], 2: ['name', 'string'], 3: ['apiVersion', 'string'] })],
  2: ['minReplicas', 'int?'],
  3: ['maxReplicas', 'int'],
};

const target: Message = {
  1: ['type', 'string'],
  2: ['value', 'quantity'],
  3: ['averageValue', 'quantity'],
  4: ['averageUtilization', 'int?'],
};

const metric: Message = {
  1: ['type', 'string'],
  4: ['resource', one({ 1: ['name', 'string'], 2: ['target', one(target)] })],
};

const autoscaler = (spec: Message): Message => ({
  1: metadata,
  2: ['spec', one(spec)],
  3: ['status', 'ignored'],
});

/** The objects that `kubectl autoscale` sends, by `apiVersion/kind`. */
export const autoscalingMessages: Readonly<Record<string, Message>> = {
  'autoscaling/v1/HorizontalPodAutoscaler': autoscaler({
    ...range,
    4: ['targetCPUUtilizationPercentage', 'int?'],
  }),
  'autoscaling/v2/HorizontalPodAutoscaler': autoscaler({ ...range, 4: ['metrics', many(metric)] }),
};
