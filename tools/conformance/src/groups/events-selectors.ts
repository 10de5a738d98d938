import { expect } from 'expect';
import type { Rule } from '../suite/case.js';
import { coreEvent, newEvent, newEvents } from '../suite/events.js';
import { accepted, create, namesOf } from '../suite/reading.js';

/** Declares the cases about field selectors of events. */
export function eventSelectors(rule: Rule): void {
  ofCore(rule);
  ofNew(rule);
}

function ofCore(rule: Rule): void {
  rule('selects events of v1 by their object, reason, type and source', async (scope) => {
    const name = scope.name('about');
    const uid = `uid-of-${name}`;
    const involvedObject = { kind: 'Secret', namespace: scope.namespace, name, uid, fieldPath: 'data.key' };
    const fields = { involvedObject, reason: 'Selected', type: 'Warning', source: { component: 'selector' } };
    await create(scope, scope.core('events'), coreEvent(scope, name, fields));
    await create(scope, scope.core('events'), coreEvent(scope, `${name}-other`));
    const found = async (terms: string): Promise<string[]> => {
      const query = { fieldSelector: `involvedObject.name=${name}${terms}` };
      return namesOf(accepted(await scope.api.get(scope.core('events'), { query })));
    };
    for (const term of [
      '',
      ',involvedObject.kind=Secret',
      `,involvedObject.uid=${uid}`,
      `,involvedObject.namespace=${scope.namespace}`,
      ',involvedObject.fieldPath=data.key',
      ',reason=Selected',
      ',type=Warning',
      ',type!=Normal',
      ',source=selector',
      ',reason=Selected,type=Warning',
    ]) {
      expect([term, await found(term)]).toEqual([term, [name]]);
    }
    for (const term of [
      ',involvedObject.kind=ConfigMap',
      ',type=Normal',
      ',reason!=Selected',
      ',source=other',
    ]) {
      expect([term, await found(term)]).toEqual([term, []]);
    }
  });
}

function ofNew(rule: Rule): void {
  rule('selects events of events.k8s.io/v1 by what they regard and who reports', async (scope) => {
    const name = scope.name('regarding');
    await create(scope, newEvents(scope), newEvent(scope, name));
    await create(scope, newEvents(scope), newEvent(scope, `${name}-other`));
    const found = async (terms: string): Promise<string[]> => {
      const query = { fieldSelector: `regarding.name=${name}${terms}` };
      return namesOf(accepted(await scope.api.get(newEvents(scope), { query })));
    };
    for (const term of [
      '',
      ',regarding.kind=ConfigMap',
      ',regarding.apiVersion=v1',
      `,regarding.namespace=${scope.namespace}`,
      ',reason=Checked',
      ',type=Normal',
      ',reportingController=conformance.example/controller',
      `,metadata.name=${name}`,
    ]) {
      expect([term, await found(term)]).toEqual([term, [name]]);
    }
    for (const term of [',regarding.kind=Secret', ',type=Warning', ',reportingController=other']) {
      expect([term, await found(term)]).toEqual([term, []]);
    }
    const inCore = {
      fieldSelector: `involvedObject.name=${name},reportingComponent=conformance.example/controller`,
    };
    expect(namesOf(accepted(await scope.api.get(scope.core('events'), { query: inCore })))).toEqual([name]);
  });

  rule('refuses field selectors of the other API group for events', async (scope) => {
    for (const [path, fieldSelector] of [
      [scope.core('events'), 'regarding.name=one'],
      [scope.core('events'), 'message=one'],
      [newEvents(scope), 'involvedObject.name=one'],
      [newEvents(scope), 'note=one'],
    ] as const) {
      const { status, body } = await scope.api.get(path, { query: { fieldSelector } });
      expect([fieldSelector, status]).toEqual([fieldSelector, 400]);
      expect(body.message).toContain('field label not supported');
    }
  });
}
