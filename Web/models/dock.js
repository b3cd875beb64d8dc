/**
 * What stands in the bar below a room.
 * @typedef {'leave' | 'chat' | 'invite' | 'effects' | 'requests' | 'stand' | 'like' | 'gifts' | 'camera' | 'screen' | 'pk' | 'stage'
 *   | 'quality' | 'statistics' | 'ranking' | 'people'} DockCell
 */
/**
 * The one in the middle: the microphone, or what a viewer does most.
 * @typedef {'microphone' | 'gifts' | 'stage' | 'like'} DockMain
 */
/**
 * @typedef {object} Standing
 * @property {'voice' | 'chorus' | 'live'} kind
 * @property {boolean} wide the page has a column for the chat
 * @property {boolean} seated
 * @property {boolean} isOwner
 * @property {boolean} canManage
 * @property {boolean} linked with another room's host
 * @property {boolean} hasGifts
 * @property {boolean} canShare my screen
 */

/**
 * As many cells to the left of the middle as to the right, two on phones: the middle never moves under a thumb. What has no cell is in
 * the menu.
 * @param {Standing} standing
 * @returns {{main: DockMain, before: DockCell[], after: DockCell[]}}
 */
export function dockOf(standing) {
  const { kind, seated, isOwner } = standing;
  if (kind === 'live' && !seated && !isOwner) return viewerDock(standing);
  const [before, after] = kind === 'live' && seated ? stageCells(standing) : salonCells(standing);
  return { main: 'microphone', before, after };
}

/** @param {Standing} standing @returns {[DockCell[], DockCell[]]} */
function salonCells({ kind, wide, seated, canManage, hasGifts }) {
  const mine = canManage ? 'requests' : 'stand';
  const isHere = seated || canManage;
  if (wide && isHere)
    return hasGifts
      ? [
          ['leave', 'invite', 'effects'],
          [mine, 'gifts', 'like'],
        ]
      : [
          ['leave', 'effects'],
          [mine, 'like'],
        ];
  const first = wide ? 'leave' : kind === 'live' ? 'invite' : 'chat';
  if (isHere)
    return [
      [first, 'effects'],
      [mine, 'like'],
    ];
  if (wide)
    return [
      [first, 'invite'],
      [hasGifts ? 'gifts' : 'effects', 'like'],
    ];
  return [
    [first, hasGifts ? 'gifts' : 'effects'],
    ['invite', 'like'],
  ];
}

/**
 * On the stage of a live room.
 * @param {Standing} standing
 * @returns {[DockCell[], DockCell[]]}
 */
function stageCells({ wide, isOwner, canManage, hasGifts, canShare }) {
  const down = isOwner ? 'requests' : 'stand';
  const special = isOwner ? 'pk' : canManage ? 'requests' : 'effects';
  if (!wide)
    return [
      ['camera', special],
      [down, 'like'],
    ];
  const shown = canShare ? 'screen' : isOwner || canManage ? 'effects' : 'invite';
  if (!hasGifts)
    return [
      ['camera', isOwner ? 'pk' : shown],
      [down, canManage && !isOwner ? 'requests' : 'like'],
    ];
  return [
    ['camera', shown, special],
    [down, 'gifts', 'like'],
  ];
}

/**
 * While rooms are linked nobody comes on stage.
 * @param {Standing} standing
 * @returns {{main: DockMain, before: DockCell[], after: DockCell[]}}
 */
function viewerDock({ wide, canManage, linked, hasGifts }) {
  const first = canManage ? 'requests' : 'invite';
  if (!hasGifts) {
    const main = linked ? 'like' : 'stage';
    /** @type {[DockCell, DockCell]} */ const after = ['quality', linked ? 'statistics' : 'like'];
    return { main, before: [first, 'people'], after };
  }
  const stage = linked ? 'ranking' : 'stage';
  if (wide)
    return { main: 'gifts', before: ['leave', first, stage], after: ['statistics', 'quality', 'like'] };
  return { main: 'gifts', before: [first, stage], after: ['quality', 'like'] };
}
