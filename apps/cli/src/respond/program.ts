import { Option, type Command } from 'commander';
import { defaultResponderName } from '@interlock/responding';
import type { EventResponse } from '@interlock/api';
import { examples, type Run } from '../command.js';
import { usage } from '../exit.js';
import type { Io } from '../io.js';
import { list } from '../listing/list.js';
import { fileObjects } from '../manifest/files.js';
import { clusterObjects, type Objects } from '../manifest/objects.js';
import { dataText, type Format } from '../output/print.js';
import { progressOn } from '../output/progress.js';
import { collect, inSession, withConnection, withOutput, type ClusterOptions } from '../session.js';
import { exitCodeOf, explain, findResponse, type ExplainOptions } from './explain.js';
import { explanationText } from './text.js';
import { phases, responseView, type ResponseFilter } from './view.js';

interface ListFlags {
  labelSelector?: string;
  watch?: boolean;
  header: boolean;
}
type Cluster = ClusterOptions & { output: Format };
type ExplainFlags = Cluster & ExplainOptions & { filename?: string[] };

/** Adds all commands for responses to a command. */
export function addRespondCommands(root: Command, run: Run): void {
  addList(root, run);
  addExplain(root, run);
}

function addList(root: Command, { io, name }: Run): void {
  withOutput(withConnection(root.command('list')))
    .description('List the responses that result in pull requests')
    .option('--responder-name <name>', 'only responses for this responder')
    .addOption(new Option('--phase <phase>', 'only responses in this phase').choices(phases))
    .option('-l, --label-selector <selector>', 'list only objects with matching labels')
    .option('-w, --watch', 'then print each change, until Ctrl-C')
    .option('--no-header', 'do not print headers')
    .addHelpText('after', examples(name, '# List unfinished responses', 'list --phase Running'))
    .action((options: Cluster & ResponseFilter & ListFlags) =>
      inSession(io, options, (session) => {
        const { labelSelector, watch, header } = options;
        return list(session, responseView(options), {
          header,
          labelSelector,
          watch,
        });
      }),
    );
}

function addExplain(root: Command, { io, name, ended }: Run): void {
  withOutput(withConnection(root.command('explain')))
    .description(
      'Show which route a response takes and its outcome; exits with 0 if the response is routed, 3 if it is not',
    )
    .argument('[response]', 'name of the EventResponse; optional if the files contain only one')
    .option('--config-namespace <name>', 'namespace of the configuration', 'ugallu-system')
    .option('--config <name>', 'GitOpsResponderConfig (default the configuration that the responder uses)')
    .option('--responder-name <name>', 'evaluate as this responder', defaultResponderName)
    .option(
      '-f, --filename <file>',
      'read all objects from YAML files instead of a cluster; can be repeated',
      collect,
    )
    .option('--dry-run', 'also print the pull request, without calling a server')
    .option('--repo <path>', 'plan with the files of this local checkout of the repository')
    .option('--cluster-id <id>', 'cluster ID of the responder, for templates', '')
    .option('--cluster-name <name>', 'cluster name of the responder, for templates', '')
    .addHelpText(
      'after',
      examples(
        name,
        '# Why is there no pull request?',
        'explain er-1',
        '# In a pipeline, without a cluster',
        'explain -f config.yaml -f event.yaml -f response.yaml --dry-run --repo .',
      ),
    )
    .action(async (response: string | undefined, options: ExplainFlags) => {
      const { filename } = options;
      const print = async (objects: Objects, found: EventResponse) => {
        const explanation = await explain(objects, found, options, io.now());
        const { output } = options;
        io.stdout(output === 'table' ? explanationText(explanation) : dataText(explanation, output));
        ended(exitCodeOf(explanation));
      };
      if (filename !== undefined) {
        const objects = await fileObjects(filename);
        await print(objects, withUid(io, await findResponse(objects, response)));
        return;
      }
      if (response === undefined) throw usage('name an EventResponse, or files with -f');
      await inSession(io, options, async (session) => {
        const objects = clusterObjects(session);
        await print(objects, await findResponse(objects, response));
      });
    });
}

const noUid = '00000000-0000-0000-0000-000000000000';

/** Adds a UID of zeros if there is none: it is part of the branch name, and a manifest has no UID yet. */
function withUid(io: Io, response: EventResponse): EventResponse {
  if ((response.metadata.uid ?? '') !== '') return response;
  progressOn(io).warning('the response has no metadata.uid yet; the UID is shown as zeros');
  return { ...response, metadata: { ...response.metadata, uid: noUid } };
}
