# bash completion for cudahisto-report
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash

# What the properties `measures` and `alerts` of the element take.
_cudahisto_measures='basic signal motion color hdr detail area gamut gamut-filter flash field scopes level loudness'
_cudahisto_alerts='black freeze scene range silence clipping loudness'

# Completes the last of several words that are joined by +.
_cudahisto_joined ()
{
    local before=
    [[ $cur != *+* ]] || before=${cur%+*}+
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*+}")
    compopt -o nospace
}

_cudahisto_report ()
{
    # _init_completion and _filedir of bash-completion use these.
    # shellcheck disable=SC2034
    local cur prev words cword split
    _init_completion -s || return

    case $prev in
        -m | --measures) _cudahisto_joined "$_cudahisto_measures"; return ;;
        -a | --alerts) _cudahisto_joined "$_cudahisto_alerts none"; return ;;
        -o | --output | --html | --qctools | --junit | --sarif | --serve-token) _filedir; return ;;
        -p | --policy | --show-policy)
            # The presets, as the program lists them, and files.
            [ "$prev" = --show-policy ] || _filedir
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$("$1" --list-policies 2> /dev/null |
                cut -d ' ' -f 1)" -- "$cur")
            return ;;
        --results) _filedir -d; return ;;
        -j | --jobs) mapfile -t COMPREPLY < <(compgen -W "1 2 4 8 16" -- "$cur"); return ;;
        -r | --regions | -s | --set | --programme | --sequence | --max-pixels) return ;;
    esac
    if [[ $cur == -* ]]; then
        # The program's own list, so that no option is missing.
        mapfile -t COMPREPLY < <(compgen -W "$(_parse_help "$1")" -- "$cur")
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
        return
    fi
    _filedir
}

complete -F _cudahisto_report cudahisto-report
