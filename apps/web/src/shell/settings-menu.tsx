import { languages } from '@lab/web-model';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Button, Choice, Dialog, Failure } from '../design/index.js';
import { useLab } from '../lab/index.js';
import { ownZone, serverZone, themes, useSettings, zones, type Settings } from '../settings/index.js';

const languageNames = { en: 'English', de: 'Deutsch' } as const;

/** Who the person is, and how the page looks to them. */
export function SettingsMenu({ onSignOut }: { onSignOut: (() => void) | undefined }): ReactNode {
  const { settings, change, words, isLanguageMissing } = useSettings();
  const { me } = useLab();
  const zoneNames = { mine: ownZone, lab: serverZone ?? ownZone };
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        look="quiet"
        aria-label={words.say('settings.open')}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <span aria-hidden="true">{'\u2699'}</span>
      </Button>
      {open && (
        <Dialog onClose={() => setOpen(false)} title={words.say('settings.open')}>
          <p>{words.say('settings.who', { name: me.name })}</p>
          {me.kind === 'local' && <p className="hint">{words.say('settings.open_to_all')}</p>}
          <Options
            label={words.say('settings.theme')}
            value={settings.theme}
            options={themes.map((theme) => [theme, words.say(`settings.theme.${theme}`)])}
            onChange={(theme) => change({ theme: theme as Settings['theme'] })}
          />
          <Options
            label={words.say('settings.language')}
            value={settings.language}
            options={languages.map((language) => [language, languageNames[language]])}
            onChange={(language) => change({ language: language as Settings['language'] })}
          />
          <Failure>{isLanguageMissing ? words.say('settings.language.missing') : undefined}</Failure>
          <Options
            label={words.say('settings.zone')}
            value={settings.zone}
            options={zones.map((zone) => [
              zone,
              words.say(`settings.zone.${zone}`, { zone: zoneNames[zone] }),
            ])}
            onChange={(zone) => change({ zone: zone as Settings['zone'] })}
          />
          <Options
            label={words.say('settings.sound')}
            value={settings.sound ? 'on' : 'off'}
            options={[
              ['off', words.say('settings.off')],
              ['on', words.say('settings.on')],
            ]}
            onChange={(sound) => change({ sound: sound === 'on' })}
          />
          {me.kind !== 'local' && (
            <Link to="/access" onClick={() => setOpen(false)}>
              {words.say('access.title')}
            </Link>
          )}
          <Link to="/usage" onClick={() => setOpen(false)}>
            {words.say('usage.title')}
          </Link>
          {onSignOut !== undefined && <Button onClick={onSignOut}>{words.say('settings.sign_out')}</Button>}
          <div className="buttons">
            <Button onClick={() => setOpen(false)}>{words.say('stop.close')}</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function Options({
  options,
  ...rest
}: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange(value: string): void;
}): ReactNode {
  return (
    <Choice {...rest}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </Choice>
  );
}
