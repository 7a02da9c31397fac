-- Contexts like those that a chat leaves: a hundred for an owner, with five questions and answers in each.
insert into contexture_contexts (name, owner, creation, last_update, version, oldest, last_seq, messages, cleared_through)
  select 'ctx_fill_' || n, 'owner_' || n / 100, 1767225600000000 + n, 1767225600000000 + n, 11, 0, 10, 10, 0
  from generate_series(1, :n) n;
insert into contexture_details (place, metadata, sealed, state)
  select place, '{"title": "A conversation about the harbour"}', null, '{"customState": {"step": 3}}'
  from contexture_contexts where name like 'ctx_fill_%';
insert into contexture_messages (context, seq, version, place, cleared, instant, time, cause, sealed, text)
  select place, m, m + 1, 0, 0, 1767225600000000, 1767225600000000 + m, null, null,
    '{"messageId": "msg_' || place || '_' || m || '", "timestamp": "2026-01-01T00:00:00Z", "type": "' ||
    case m % 2 when 1 then 'USER_INPUT' else 'MODEL_RESPONSE' end ||
    '", "sender": {"id": "owner", "type": "USER"}, "content": {"text": "' || repeat('a sentence of a chat, ', 9) || '"}}'
  from contexture_contexts, generate_series(1, 10) m where name like 'ctx_fill_%';
