import { RefreshCw } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useChoices } from '../../../api/cards';
import { isObject, type Json } from '../../../core/nodes';
import { Button, Combobox, type Option } from '../../../ui';
import { t } from '../words';
import { usePanel, type FieldProps, type Scope } from './context';
import css from './Panel.module.css';
import { ParamFields } from './ParamFields';
import { pickedConfig } from '../document/definition';
import { asChoices, asText, configName } from './values';

/** Lists that the page knows by itself: they are about the canvas. */
const OWN = new Set(['listPreviousNodes']);

/** Lists that are never whole: a model can be new, and a tool without its credential does not say what it takes. */
const OPEN = new Set(['listModels', 'listToolInputArgs']);

/** A choice from a list of the service, read when it is opened, and again on demand. A picked card brings its settings. */
export function ChoiceField({ param, scope }: FieldProps): ReactNode {
  const { cards, readOnly, loopTargets } = usePanel();
  // What the card was set to when the list was opened: it is not read anew with every letter typed beside it.
  const [asked, setAsked] = useState<Json | null>(null);
  const [first] = useState(scope.around);
  const method = param.loadMethod ?? '';
  const several = param.type === 'asyncMultiOptions';
  const value = several ? '' : asText(scope.values[param.name]);
  const choices = useChoices(
    { card: scope.card, method, inputs: asked ?? first, credential: scope.credential },
    (asked !== null || needsName(value, param.loadConfig === true)) && !OWN.has(method) && method !== '',
  );
  const listed: Option[] =
    method === 'listPreviousNodes'
      ? [...loopTargets]
      : (choices.data ?? []).map((one) => ({
          value: one.name,
          label: one.label,
          ...(one.description ? { description: one.description } : {}),
        }));
  const pick = (next: string): void => {
    if (several) {
      const now = asChoices(scope.values[param.name]);
      const all = now.includes(next) ? now.filter((one) => one !== next) : [...now, next];
      scope.change({ [param.name]: all.length > 0 ? JSON.stringify(all) : '' });
    } else if (param.loadConfig) {
      const config = configName(param);
      scope.change({
        [param.name]: next,
        [config]: pickedConfig(param, cards.get(next), scope.values[config]),
      });
    } else scope.change({ [param.name]: next });
  };
  const known = cards.get(value);
  const options =
    value !== '' && !listed.some((one) => one.value === value)
      ? [{ value, label: param.loadConfig && known ? known.label : value }, ...listed]
      : listed;
  return (
    <>
      <Combobox
        value={value}
        onChange={pick}
        options={param.optional && value ? [{ value: '', label: t('editor.notSet') }, ...options] : options}
        disabled={readOnly}
        loading={choices.isFetching && !choices.data}
        failure={choices.error?.message ?? null}
        allowOther={param.freeSolo === true || OPEN.has(method)}
        onOpen={() => setAsked(scope.around)}
        footer={
          OWN.has(method) ? undefined : (
            <Button
              size="compact"
              variant="ghost"
              icon={RefreshCw}
              busy={choices.isFetching}
              onClick={() => void choices.refetch()}
            >
              {t('editor.refresh')}
            </Button>
          )
        }
      />
      {several && <Chosen scope={scope} name={param.name} options={listed} drop={pick} />}
      {param.loadConfig && value !== '' && <PickedSettings param={param} scope={scope} picked={value} />}
    </>
  );
}

/** A name says nothing of a record that has an id. */
const needsName = (value: string, isCard: boolean): boolean =>
  !isCard && /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value);

function Chosen(props: {
  scope: Scope;
  name: string;
  options: readonly Option[];
  drop: (value: string) => void;
}): ReactNode {
  const { scope, name, options, drop } = props;
  return (
    <ul className={css.chosenOnes}>
      {asChoices(scope.values[name]).map((one) => (
        <li key={one}>
          <Button size="compact" onClick={() => drop(one)} aria-label={t('editor.dropChoice', { name: one })}>
            {options.find((option) => option.value === one)?.label ?? one} ×
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** The settings of a card that another card picked. */
function PickedSettings({ param, scope, picked }: FieldProps & { picked: string }): ReactNode {
  const { cards } = usePanel();
  const card = cards.get(picked);
  const stored = scope.values[configName(param)];
  const config = isObject(stored) ? stored : {};
  if (!card) return null;
  const credential = asText(config.FLOWISE_CREDENTIAL_ID) || asText(config.credential);
  const inner: Scope = {
    card: picked,
    values: { ...config, credential },
    around: config,
    row: null,
    list: null,
    credential,
    picked: true,
    change: (patch) => {
      const { credential: key, ...rest } = patch;
      const keys = 'credential' in patch ? { credential: key, FLOWISE_CREDENTIAL_ID: key } : {};
      scope.change({ [configName(param)]: { ...config, ...rest, ...keys, [param.name]: picked } });
    },
  };
  const params = [...(card.credential ? [card.credential] : []), ...card.inputs];
  return (
    <div className={css.inner} role="group" aria-label={t('editor.settingsOf', { name: card.label })}>
      <ParamFields params={params} scope={inner} />
    </div>
  );
}
