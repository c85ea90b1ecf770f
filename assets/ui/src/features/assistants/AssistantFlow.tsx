import type { ReactNode } from 'react';
import { useAssistant, type Assistant } from '../../api/assistants';
import { Loaded } from '../../ui';
import { AssistantForm } from './AssistantForm';
import type { AssistantFlowProps } from './parts';
import { useAssistantForm } from './useAssistantForm';

/** An assistant on the page of its flow: told in a form, where other flows are drawn. */
export default function AssistantFlow(props: AssistantFlowProps): ReactNode {
  return (
    <Loaded query={useAssistant(props.flow.id)}>
      {(assistant) => <Telling {...props} assistant={assistant} />}
    </Loaded>
  );
}

function Telling(props: AssistantFlowProps & { assistant: Assistant }): ReactNode {
  const { flow, mayEdit, parts, assistant, children } = props;
  const edited = useAssistantForm(assistant, mayEdit);
  const { state, unsaved, save, drop } = edited;
  const form = <AssistantForm flow={flow} edited={edited} mayEdit={mayEdit} parts={parts} />;
  return children({ form, state, unsaved, save, drop });
}
